import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { HandlerContext } from '../../src/dispatch/handlers.js'
import { HandlerFailure } from '../../src/errors.js'
import type { WebhookEvent } from '../../src/event/event.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveRequest } from '../../src/request.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, now, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

const base = { secret, now: clock, logger: false } as const

afterEach(() => {
  removeFiles()
  vi.restoreAllMocks()
})

describe('before the signature is verified, nothing is parsed and no store is called', () => {
  it.each<[string, Parameters<typeof delivery>[1]]>([
    ['unsigned', { headers: { 'service-signature': undefined } }],
    ['malformed', { headers: { 'service-signature': 't=1' } }],
    ['forged', { secret: 'whsec_other' }],
    ['stale', { timestamp: now - 301 }],
    ['forged and stale', { secret: 'whsec_other', timestamp: 1 }],
    ['of another body', { request: { body: new TextEncoder().encode(JSON.stringify(settled, null, 1)) } }],
  ])('%s', async (_, options) => {
    const request = await delivery(settled, options)
    const store = scriptedStore()
    const touched = vi.fn()
    const validate = vi.fn(() => ({ value: {} }))
    const receiver = createReceiver({
      ...base,
      store,
      handlers: { 'transfer.settled': touched },
      fallback: touched,
      schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } } },
    })
    const parse = vi.spyOn(JSON, 'parse')
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    const result = await receiver.receive(request)
    expect(result).toMatchObject({ outcome: 'rejected', status: 401 })
    expect(result.event).toBeUndefined()
    for (const spy of [parse, decode, touched, validate]) {
      expect(spy).not.toHaveBeenCalled()
    }
    expect(store.calls).toEqual([])
  })

  it('as the spies would have recorded', async () => {
    const request = await delivery()
    const parse = vi.spyOn(JSON, 'parse')
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    const store = scriptedStore()
    await createReceiver({ ...base, store, fallback: () => {} }).receive(request)
    expect(parse).toHaveBeenCalled()
    expect(decode).toHaveBeenCalled()
    expect(store.calls).toEqual(['check', 'once'])
  })
})

describe('the order of refusals', () => {
  /** This delivery has every fault. Each step fixes one, and the next fault is refused. */
  it('is admission, reading, signature, freshness, encoding, JSON, envelope, id, environment, data', async () => {
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      environments: ['production'],
      fallback: () => {},
    })
    const codes: unknown[] = []
    const attempt = async (body: Uint8Array | string | object, options: Parameters<typeof delivery>[1]) => {
      codes.push((await receiver.receive(await delivery(body, options))).code)
    }
    const bad = Uint8Array.of(0xff)
    const stale = { secret: 'whsec_other', timestamp: 1 }
    const headers = {
      'service-event-id': 'evt_other',
      'content-type': 'text/plain',
      'content-encoding': 'gzip',
      'content-length': '9999999',
    }
    await attempt(bad, { ...stale, headers, request: { method: 'PUT' } })
    await attempt(bad, { ...stale, headers })
    await attempt(bad, { ...stale, headers: { ...headers, 'content-type': 'application/json' } })
    await attempt(bad, {
      ...stale,
      headers: { 'service-event-id': 'evt_other', 'content-length': '9999999' },
    })
    const mismatch = { headers: { 'service-event-id': 'evt_other' } }
    await attempt(bad, { ...stale, ...mismatch, request: { body: async () => 'body_incomplete' } })
    await attempt(bad, { ...stale, ...mismatch })
    await attempt(bad, { timestamp: 1, ...mismatch })
    await attempt(bad, mismatch)
    await attempt('{', mismatch)
    await attempt('{}', mismatch)
    const wrongData = { ...settled, data: {} }
    await attempt(wrongData, mismatch)
    await attempt(wrongData, {})
    await attempt({ ...wrongData, environment: 'production' }, {})
    await attempt({ ...settled, environment: 'production' }, {})
    expect(codes).toEqual([
      'method_not_allowed',
      'unsupported_media_type',
      'unsupported_content_encoding',
      'body_too_large',
      'body_incomplete',
      'signature_mismatch',
      'timestamp_out_of_tolerance',
      'invalid_encoding',
      'invalid_json',
      'invalid_envelope',
      'event_id_mismatch',
      'environment_not_allowed',
      'invalid_data',
      undefined,
    ])
  })
})

describe('secrets from a resolver', () => {
  const tenants: Record<string, string> = { '/a': 'whsec_of_tenant_a', '/b': 'whsec_of_tenant_b' }
  const resolve = async ({ url }: ReceiveRequest) => tenants[url ?? ''] as string

  it('belong to the tenant', async () => {
    const receiver = createReceiver({ ...base, secret: resolve, store: memoryStore(), fallback: () => {} })
    const outcome = async (url: string, secret: string) => {
      const { code, outcome } = await receiver.receive({ ...(await delivery(settled, { secret })), url })
      return code ?? outcome
    }
    expect(await outcome('/a', 'whsec_of_tenant_b')).toBe('signature_mismatch')
    expect(await outcome('/a', 'whsec_of_tenant_a')).toBe('processed')
    expect(await outcome('/b', 'whsec_of_tenant_b')).toBe('duplicate')
    expect(await outcome('/c', 'whsec_of_tenant_a')).toBe('secret_unavailable')
  })

  it('may be several, and may be returned without a promise', async () => {
    const receiver = createReceiver({
      ...base,
      secret: () => ['whsec_test_secret_new', secret],
      store: memoryStore(),
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('vault')
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault'))],
    ['returns nothing', () => undefined],
    ['returns an empty list', () => []],
    ['returns an empty secret', () => ''],
    ['returns a padded secret', async () => 'whsec \n'],
    ['returns a number', async () => 7],
  ])('that %s: 503, with the cause for the operator and no store call', async (_, resolver) => {
    const store = scriptedStore()
    const receiver = createReceiver({ ...base, secret: resolver as () => string, store, fallback: () => {} })
    const result = await receiver.receive(await delivery())
    expect(result).toMatchObject({ code: 'secret_unavailable', status: 503, cause: expect.any(Error) })
    expect(store.calls).toEqual([])
  })

  it('that are slow give 503 in time, and a late rejection is handled', async () => {
    const vault = deferred<string>()
    const receiver = createReceiver({
      ...base,
      secret: () => vault.promise,
      store: memoryStore(),
      fallback: () => {},
      handlerTimeoutSeconds: 0.05,
    })
    const result = await receiver.receive(await delivery())
    expect(result).toMatchObject({
      code: 'secret_unavailable',
      detail: 'the resolver took longer than handlerTimeoutSeconds',
    })
    vault.reject(new Error('late'))
    await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('are not loaded before the headers are accepted', async () => {
    const resolver = vi.fn(() => secret)
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    await receiver.receive(await delivery(settled, { request: { method: 'GET' } }))
    await receiver.receive(await delivery(settled, { headers: { 'content-type': 'text/plain' } }))
    expect(resolver).not.toHaveBeenCalled()
  })
})

describe('a handler that exceeds its time', () => {
  it('gets an aborted signal, and keeps its claim until it settles', async () => {
    const gate = deferred()
    const seen: HandlerContext[] = []
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.1,
      fallback: async (_event, context) => {
        seen.push(context as HandlerContext)
        await gate.promise
      },
    })
    const first = await receiver.receive(await delivery())
    expect(first).toMatchObject({ code: 'handler_timeout', status: 503 })
    expect(seen[0]?.signal.aborted).toBe(true)
    expect(seen[0]?.signal.reason).toEqual(new Error('not done within 0.1 s'))
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'in_progress', status: 503 })
    gate.resolve()
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
    })
    expect(seen).toHaveLength(1)
  })

  it('releases the event if it fails late, and the failure is logged and handled', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const gate = deferred()
    const logger = lines()
    const handler = vi.fn(() => gate.promise).mockResolvedValueOnce(undefined)
    handler
      .mockReset()
      .mockImplementationOnce(() => gate.promise)
      .mockResolvedValueOnce(undefined)
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.1,
      fallback: handler,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
    gate.reject(new Error('too late'))
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    })
    expect(handler).toHaveBeenCalledTimes(2)
    expect(logger.written.join('\n')).toContain(
      'error webhook-inbox: event evt_1: the handler failed after handlerTimeoutSeconds; Error: too late at ',
    )
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('gets no aborted signal while it is in time', async () => {
    let signal: AbortSignal | undefined
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: async (_event, context) => {
        signal = context.signal
      },
    })
    await receiver.receive(await delivery())
    expect(signal?.aborted).toBe(false)
  })
})

describe('a store that fails', () => {
  it('releases its claim if it answers late, and the handler never runs', async () => {
    const late = deferred()
    const handler = vi.fn()
    const real = memoryStore()
    const store = scriptedStore({
      once: async (event, work) => {
        await late.promise
        return real.once(event, work)
      },
    })
    const receiver = createReceiver({ ...base, store, handlerTimeoutSeconds: 0.1, fallback: handler })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable', status: 503 })
    late.resolve()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(handler).not.toHaveBeenCalled()
    const next = createReceiver({ ...base, store: real, fallback: handler })
    expect(await next.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(handler).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ attempt: 2 }))
  })

  it('delays 2xx until the event is marked done', async () => {
    const marked = deferred()
    const real = memoryStore()
    const store = scriptedStore({
      once: async (event, work) => {
        const outcome = await real.once(event, work)
        await marked.promise
        return outcome
      },
    })
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    let answered = false
    const pending = receiver.receive(await delivery()).then((result) => {
      answered = true
      return result
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(answered).toBe(false)
    marked.resolve()
    expect(await pending).toMatchObject({ outcome: 'processed' })
  })

  it('gives 503 if it hangs while it marks the event done, even though the handler finished', async () => {
    const store = scriptedStore({
      once: async (_event, work) => {
        await work({ tx: undefined, attempt: 1, signal: new AbortController().signal })
        return never
      },
    })
    const receiver = createReceiver({ ...base, store, handlerTimeoutSeconds: 0.1, fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  })

  it('does not hide the error of the handler if it hangs while it releases the event', async () => {
    const store = scriptedStore({
      once: async (_event, work) => {
        await Promise.resolve(
          work({ tx: undefined, attempt: 1, signal: new AbortController().signal }),
        ).catch(() => {})
        return never
      },
    })
    const cause = new Error('no such account')
    const receiver = createReceiver({
      ...base,
      store,
      handlerTimeoutSeconds: 0.1,
      fallback: () => Promise.reject(cause),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed', cause })
  })

  it('is checked again after it recovers', async () => {
    let isDown = true
    const real = memoryStore()
    const store = scriptedStore({ check: () => (isDown ? Promise.reject(new Error('down')) : real.check()) })
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
    isDown = false
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
    expect(store.calls.filter((call) => call === 'check')).toHaveLength(2)
  })

  it('is checked again after a check that never settled', async () => {
    const real = memoryStore()
    const check = vi.fn(() => real.check()).mockImplementationOnce(() => never)
    const receiver = createReceiver({
      ...base,
      store: scriptedStore({ check }),
      fallback: () => {},
      handlerTimeoutSeconds: 0.1,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    })
    expect(check).toHaveBeenCalledTimes(2)
  })
})

describe('schemas', () => {
  const with_ = (schema: z.ZodType, rest: object = {}) =>
    createReceiver({
      ...base,
      store: memoryStore(),
      schemas: { 'transfer.settled': schema },
      fallback: () => {},
      ...rest,
    })

  it('pass their output to the handler', async () => {
    const seen: unknown[] = []
    const schema = z.object({ transferId: z.string().transform((id) => id.length) })
    const receiver = with_(schema, { fallback: (event: WebhookEvent) => seen.push(event.data) })
    await receiver.receive(await delivery())
    expect(seen).toEqual([{ transferId: 4 }])
  })

  it.each([
    ['refuse', { issues: [{ message: 'no', path: ['transferId'] }] }, 'invalid_data', undefined],
    ['accept', { value: 'data' }, undefined, 'data'],
  ])('that %s with a promise of another make', async (_, result, code, data) => {
    const seen = vi.fn()
    // biome-ignore lint/suspicious/noThenProperty: this test needs a thenable. It only reports success, once, and returns nothing.
    const validate = () => ({ then: (tell: (value: unknown) => void) => void setTimeout(tell, 5, result) })
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } } } as never,
      fallback: (event: WebhookEvent) => seen(event.data),
    })
    const answer = await receiver.receive(await delivery())
    expect(answer.code).toBe(code)
    expect(seen.mock.calls).toEqual(data ? [[data]] : [])
  })

  it('that throw give 500, so that the sender delivers again', async () => {
    const cause = new TypeError('broken')
    const schema = z.unknown().transform(() => {
      throw cause
    })
    expect(await with_(schema).receive(await delivery())).toMatchObject({
      code: 'handler_failed',
      cause,
      detail: 'in the schema of transfer.settled',
    })
  })

  it('that never settle exceed the time', async () => {
    const schema = z.unknown().refine(() => never)
    const receiver = with_(schema, { handlerTimeoutSeconds: 0.1 })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
  })

  it('that refuse data report the path but not the value', async () => {
    const result = await with_(z.object({ transferId: z.literal('x') })).receive(await delivery())
    expect(result).toMatchObject({ code: 'invalid_data', detail: 'data.transferId', status: 400 })
    expect(result.body).toBe('{"outcome":"rejected","code":"invalid_data","eventId":"evt_1"}')
  })
})

describe('handlers', () => {
  it('are found by type as own properties, else the fallback runs', async () => {
    const calls: string[] = []
    const note = (name: string) => (event: WebhookEvent<string, unknown>) =>
      void calls.push(`${name} ${event.type}`)
    const receiver = createReceiver<Record<string, unknown>>({
      ...base,
      store: memoryStore(),
      handlers: { 'transfer.settled': note('own'), a: undefined as never, __proto__: null as never },
      fallback: note('fallback'),
    })
    const types = ['transfer.settled', 'a', 'b', 'constructor', '__proto__', 'toString']
    for (const [i, type] of types.entries()) {
      await receiver.receive(await delivery({ ...settled, id: `evt_${i}`, type }))
    }
    expect(calls).toEqual([
      'own transfer.settled',
      'fallback a',
      'fallback b',
      'fallback constructor',
      'fallback __proto__',
      'fallback toString',
    ])
  })

  it('get the event with its exact bytes, the attempt, and no transaction from a store without one', async () => {
    const handler = vi.fn()
    const request = await delivery()
    await createReceiver({ ...base, store: memoryStore(), fallback: handler }).receive(request)
    const [event, context] = handler.mock.calls[0] as [WebhookEvent, HandlerContext]
    expect(event).toMatchObject(settled)
    expect(event.raw).toBe(request.body)
    expect(context).toMatchObject({ attempt: 1, tx: undefined, warnings: [] })
  })

  it.each<[string, () => unknown, unknown]>([
    ['rejects with', () => Promise.reject('no'), 'no'],
    [
      'throws, which is nothing',
      () => {
        throw undefined
      },
      undefined,
    ],
    [
      'throws',
      () => {
        throw new HandlerFailure('mine')
      },
      new HandlerFailure('mine'),
    ],
  ])('fail to the store with what a handler %s, wrapped', async (_, fallback, cause) => {
    let failure: unknown
    const store = scriptedStore({
      once: async (_event, work) => {
        failure = await Promise.resolve(
          work({ tx: undefined, attempt: 1, signal: new AbortController().signal }),
        ).catch((error: unknown) => error)
        throw failure
      },
    })
    const result = await createReceiver({ ...base, store, fallback }).receive(await delivery())
    expect(failure).toBeInstanceOf(HandlerFailure)
    expect((failure as HandlerFailure).cause).toEqual(cause)
    expect(result).toMatchObject({ code: 'handler_failed', ...(cause !== undefined && { cause }) })
  })

  it('run again after a failure, with the next attempt', async () => {
    const handler = vi.fn().mockRejectedValueOnce('no error at all').mockResolvedValueOnce(1)
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: handler })
    expect(await receiver.receive(await delivery())).toMatchObject({
      code: 'handler_failed',
      cause: 'no error at all',
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(handler.mock.calls.map(([, context]) => context.attempt)).toEqual([1, 2])
  })

  it('run once for a hundred concurrent deliveries', async () => {
    const handler = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 20)))
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: handler })
    const request = await delivery()
    const results = await Promise.all(Array.from({ length: 100 }, () => receiver.receive(request)))
    expect(handler).toHaveBeenCalledTimes(1)
    expect(results.filter(({ outcome }) => outcome === 'processed')).toHaveLength(1)
    expect(results.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(99)
  })
})

describe('the same id', () => {
  const { data, ...envelope } = settled
  const { transferId, ...rest } = data
  const respelled: [name: string, body: object | string][] = [
    ['white space', JSON.stringify(settled, null, 1)],
    ['key order', { data: { ...rest, transferId }, ...envelope }],
    [
      'envelope form',
      {
        id: settled.id,
        type: settled.type,
        product: 'transfers',
        created_at: settled.createdAt,
        data: { transfer_id: transferId, status: 'settled', rail: 'mobile_money', ledger_state: 'matched' },
      },
    ],
    ['time', { ...settled, createdAt: '2026-01-02T03:04:06Z' }],
  ]

  const stores: [name: string, make: () => Store<unknown>][] = [
    ['a store of ids', () => memoryStore() as Store<unknown>],
    ['a store of bodies', () => sqliteStore(newFile()) as Store<unknown>],
  ]

  describe.each(stores)('in %s', (_, makeStore) => {
    it.each(respelled)('with another %s is a duplicate', async (_, body) => {
      const store = makeStore()
      const handler = vi.fn()
      const receiver = createReceiver({ ...base, store, fallback: handler })
      await receiver.receive(await delivery())
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        outcome: 'duplicate',
        status: 200,
      })
      expect(handler).toHaveBeenCalledTimes(1)
      await store.close()
    })

    it('with other data is a conflict and never runs', async () => {
      const store = makeStore()
      const handler = vi.fn()
      const receiver = createReceiver({ ...base, store, fallback: handler })
      await receiver.receive(await delivery())
      const other = { ...settled, data: { ...settled.data, rail: 'card' } }
      expect(await receiver.receive(await delivery(other))).toMatchObject({ code: 'event_id_conflict' })
      expect(handler).toHaveBeenCalledTimes(1)
      await store.close()
    })
  })

  describe('of an event that waits in a queue', () => {
    const waiting = async () => {
      const store = sqliteStore(newFile()) as Store<unknown>
      const receiver = createReceiver({ ...base, store, queue: localQueue() as never, fallback: () => {} })
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
      return { store, receiver }
    }

    it.each(respelled)('with another %s is a duplicate', async (_, body) => {
      const { store, receiver } = await waiting()
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        outcome: 'duplicate',
        status: 200,
      })
      expect(await receiver.quarantined()).toEqual([])
      await store.close()
    })

    it('with other data is quarantined as a conflict', async () => {
      const { store, receiver } = await waiting()
      const other = { ...settled, data: { ...settled.data, rail: 'card' } }
      expect(await receiver.receive(await delivery(other))).toMatchObject({
        outcome: 'quarantined',
        code: 'event_id_conflict',
      })
      expect(await receiver.quarantined()).toMatchObject([{ code: 'event_id_conflict', eventId: settled.id }])
      expect(await receiver.list()).toMatchObject([{ id: settled.id, state: 'accepted' }])
      await store.close()
    })
  })

  it('is the same event even if a schema or resource() changes its data', async () => {
    const change = (data: unknown) => {
      Object.assign(data as object, { changed: Math.random() })
      return { value: data }
    }
    const schemas = {
      'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate: change } },
    } as const
    const receiver = createReceiver({ ...base, store: memoryStore(), schemas, fallback: () => {} })
    await receiver.receive(await delivery())
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
  })

  it('at another endpoint is another event', async () => {
    const handler = vi.fn()
    const store = memoryStore()
    for (const endpoint of ['a', 'b']) {
      const receiver = createReceiver({ ...base, store, endpoint, fallback: handler })
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    }
    expect(handler).toHaveBeenCalledTimes(2)
  })
})

describe('numbers that JavaScript cannot represent exactly', () => {
  const body = JSON.stringify({ ...settled, type: 'x' }).replace('"tr_1"', '"tr_1","n":9007199254740993')

  it('are refused, or rounded with a warning if the option says so', async () => {
    const refusing = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    expect(await refusing.receive(await delivery(body))).toMatchObject({ code: 'invalid_data' })
    const warnings: unknown[] = []
    const rounding = createReceiver({
      ...base,
      store: memoryStore(),
      inexactNumbers: 'round',
      fallback: (_event, context) => warnings.push(...context.warnings),
    })
    expect(await rounding.receive(await delivery(body))).toMatchObject({ outcome: 'processed' })
    expect(warnings).toEqual(['JavaScript cannot represent a number exactly: it was rounded'])
  })
})
