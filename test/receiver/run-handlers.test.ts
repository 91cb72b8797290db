import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { HandlerContext } from '../../src/dispatch/handlers.js'
import { HandlerFailure } from '../../src/errors.js'
import type { WebhookEvent } from '../../src/event/event.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

const base = { secret, now: clock, logger: false } as const

afterEach(() => {
  removeFiles()
  vi.restoreAllMocks()
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

  it('that reject data report the path but not the value', async () => {
    const result = await with_(z.object({ transferId: z.literal('x') })).receive(await delivery())
    expect(result).toMatchObject({
      code: 'invalid_data',
      detail: 'data.transferId (expected "x")',
      status: 400,
    })
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
    expect(event.raw).toEqual(request.body)
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
