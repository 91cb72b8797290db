import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Code, codes } from '../../src/codes.js'
import type { CommonOptions } from '../../src/options/types.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import type { ReceiveRequest } from '../../src/request.js'
import type { ReceiveResult } from '../../src/result.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, type DeliverOptions, delivery, now, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

afterEach(() => {
  vi.useRealTimers()
})

const base = { secret, now: clock, logger: false } as const
const handled = { ...base, handlers: { 'transfer.settled': () => {} } }
const receiver = (options: Partial<CommonOptions> & object = {}) =>
  createReceiver({ ...handled, store: memoryStore(), ...options } as never)

/** The expected status of every code. */
const table: Record<Code, [status: number, outcome: ReceiveResult['outcome']]> = {
  missing_signature: [401, 'rejected'],
  malformed_signature: [401, 'rejected'],
  signature_mismatch: [401, 'rejected'],
  timestamp_out_of_tolerance: [401, 'rejected'],
  event_id_missing: [400, 'rejected'],
  event_id_mismatch: [400, 'rejected'],
  event_id_conflict: [400, 'rejected'],
  invalid_encoding: [400, 'rejected'],
  invalid_json: [400, 'rejected'],
  invalid_envelope: [400, 'rejected'],
  invalid_data: [400, 'rejected'],
  environment_not_allowed: [400, 'rejected'],
  body_timeout: [408, 'rejected'],
  body_incomplete: [400, 'rejected'],
  method_not_allowed: [405, 'rejected'],
  body_too_large: [413, 'rejected'],
  unsupported_media_type: [415, 'rejected'],
  unsupported_content_encoding: [415, 'rejected'],
  body_already_read: [500, 'failed'],
  handler_failed: [500, 'failed'],
  handler_timeout: [503, 'failed'],
  store_unavailable: [503, 'failed'],
  secret_unavailable: [503, 'failed'],
  in_progress: [503, 'in_progress'],
}

/** At least one delivery for each code. */
const ways: [code: Code, name: string, () => Promise<ReceiveResult>][] = [
  ['missing_signature', 'no header', () => receive({ headers: { 'service-signature': undefined } })],
  ['missing_signature', 'an empty header', () => receive({ headers: { 'service-signature': '' } })],
  ['malformed_signature', 'no grammar', () => receive({ headers: { 'service-signature': 'hello' } })],
  [
    'malformed_signature',
    'sent twice',
    () => receive({ headers: { 'service-signature': ['t=1,v1=a', 't=1,v1=a'] } }),
  ],
  ['signature_mismatch', 'another secret', () => receive({ secret: 'whsec_other' })],
  ['signature_mismatch', 'another body', () => receive({ request: { body: new Uint8Array(3) } })],
  ['timestamp_out_of_tolerance', 'too old', () => receive({ timestamp: now - 301 })],
  ['timestamp_out_of_tolerance', 'too new', () => receive({ timestamp: now + 301 })],
  [
    'event_id_missing',
    'where it is required',
    () => receive({ headers: { 'service-event-id': undefined } }, { requireEventIdHeader: true }),
  ],
  ['event_id_mismatch', 'another', () => receive({ headers: { 'service-event-id': 'evt_2' } })],
  ['event_id_mismatch', 'empty', () => receive({ headers: { 'service-event-id': '' } })],
  ['event_id_mismatch', 'sent twice', () => receive({ headers: { 'service-event-id': ['evt_1', 'evt_1'] } })],
  [
    'event_id_mismatch',
    'sent twice and joined',
    () => receive({ headers: { 'service-event-id': 'evt_1, evt_1' } }),
  ],
  [
    'event_id_conflict',
    'other content',
    async () => {
      const same = receiver()
      await same.receive(await delivery())
      return same.receive(await delivery({ ...settled, data: { ...settled.data, rail: 'card' } }))
    },
  ],
  ['invalid_encoding', 'no UTF-8', () => receiveBody(Uint8Array.of(0xff))],
  ['invalid_json', 'no JSON', () => receiveBody('{')],
  ['invalid_json', 'a key twice', () => receiveBody(`{"id":"evt_0",${JSON.stringify(settled).slice(1)}`)],
  ['invalid_json', 'empty', () => receiveBody('')],
  ['invalid_envelope', 'no envelope', () => receiveBody('{}')],
  ['invalid_data', 'no settled transfer', () => receiveBody({ ...settled, data: { status: 'failed' } })],
  [
    'invalid_data',
    'a number that is no double',
    () => receiveBody(JSON.stringify(settled).replace('"tr_1"', '"tr_1","n":1e400')),
  ],
  ['environment_not_allowed', 'sandbox in production', () => receive({}, { environments: ['production'] })],
  ['body_incomplete', 'says the reader', () => receive({ request: { body: async () => 'body_incomplete' } })],
  [
    'body_incomplete',
    'the reader rejects',
    () => receive({ request: { body: () => Promise.reject(new Error('aborted')) } }),
  ],
  [
    'body_incomplete',
    'the reader throws',
    () =>
      receive({
        request: {
          body: () => {
            throw new Error('gone')
          },
        },
      }),
  ],
  [
    'body_timeout',
    'a body that does not arrive',
    async () => {
      const { body: _, ...request } = await delivery()
      return receiver({ bodyTimeoutSeconds: 0.01 }).receive({ ...request, body: () => never })
    },
  ],
  ['method_not_allowed', 'GET', () => receive({ request: { method: 'GET' } })],
  ['method_not_allowed', 'HEAD', () => receive({ request: { method: 'HEAD' } })],
  ['method_not_allowed', 'post', () => receive({ request: { method: 'post' } })],
  ['body_too_large', 'says the reader', () => receive({ request: { body: async () => 'body_too_large' } })],
  ['body_too_large', 'declared', () => receive({ headers: { 'content-length': '1048577' } })],
  ['body_too_large', 'undeclared', () => receive({ request: { body: new Uint8Array(1_048_577) } })],
  ['body_too_large', 'by an option', () => receive({}, { maxBodyBytes: 10 })],
  [
    'unsupported_media_type',
    'a form',
    () => receive({ headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ],
  ['unsupported_media_type', 'none', () => receive({ headers: { 'content-type': undefined } })],
  ['unsupported_content_encoding', 'gzip', () => receive({ headers: { 'content-encoding': 'gzip' } })],
  [
    'body_already_read',
    'says the reader',
    () => receive({ request: { body: async () => 'body_already_read' } }),
  ],
  [
    'handler_failed',
    'throws',
    () =>
      receive(
        {},
        {
          handlers: {
            'transfer.settled': () => {
              throw new Error('no')
            },
          },
        },
      ),
  ],
  [
    'handler_failed',
    'rejects',
    () => receive({}, { handlers: { 'transfer.settled': () => Promise.reject(new Error('no')) } }),
  ],
  [
    'handler_failed',
    'throws nothing',
    () => receive({}, { handlers: { 'transfer.settled': () => Promise.reject() } }),
  ],
  [
    'handler_timeout',
    'never settles',
    () => receive({}, { handlers: { 'transfer.settled': () => never }, handlerTimeoutSeconds: 0.05 }),
  ],
  [
    'store_unavailable',
    'rejects',
    () => receive({}, { store: scriptedStore({ once: () => Promise.reject(new Error('down')) }) }),
  ],
  [
    'store_unavailable',
    'throws',
    () =>
      receive(
        {},
        {
          store: scriptedStore({
            once: () => {
              throw new Error('down')
            },
          }),
        },
      ),
  ],
  [
    'store_unavailable',
    'never settles',
    () => receive({}, { store: scriptedStore({ once: () => never }), handlerTimeoutSeconds: 0.05 }),
  ],
  [
    'store_unavailable',
    'fails its check',
    () => receive({}, { store: scriptedStore({ check: () => Promise.reject(new Error('evicts')) }) }),
  ],
  [
    'secret_unavailable',
    'the resolver throws',
    () =>
      receive(
        {},
        {
          secret: () => {
            throw new Error('vault')
          },
        },
      ),
  ],
  [
    'secret_unavailable',
    'the resolver never settles',
    () => receive({}, { secret: () => never, handlerTimeoutSeconds: 0.05 }),
  ],
  [
    'in_progress',
    'another holds it',
    () =>
      receive(
        {},
        { store: scriptedStore({ once: async () => ({ state: 'busy', retryAfterSeconds: 7.2 }) }) },
      ),
  ],
  [
    'in_progress',
    'the claim was lost',
    () => receive({}, { store: scriptedStore({ once: async () => ({ state: 'lost' }) }) }),
  ],
]

async function receive(options: DeliverOptions = {}, settings: object = {}) {
  return receiver(settings).receive((await delivery(settled, options)) as ReceiveRequest)
}
async function receiveBody(body: object | string | Uint8Array) {
  return receiver().receive(await delivery(body))
}

describe('every code', () => {
  it('is in the table, and the table has no others', () => {
    expect(Object.keys(codes).sort()).toEqual(Object.keys(table).sort())
    expect(new Set(ways.map(([code]) => code))).toEqual(new Set(Object.keys(codes)))
  })

  it.each(ways)('%s: %s', async (code, _, run) => {
    const result = await run()
    const [status, outcome] = table[code]
    expect(result).toMatchObject({ code, status, outcome })
    expect(result.headers['content-type']).toBe('application/json')
    expect(result.headers.allow).toBe(status === 405 ? 'POST' : undefined)
    expect(result.headers['retry-after'] !== undefined).toBe(code === 'in_progress')
    expect(Object.keys(result.headers).length).toBe(status === 405 || code === 'in_progress' ? 2 : 1)
    const eventId = result.eventId === undefined ? {} : { eventId: result.eventId }
    expect(result.body).toBe(JSON.stringify({ outcome, code, ...eventId }))
  })
})

describe('answers of 200', () => {
  const ok = (outcome: string) => ({
    source: 'delivery',
    outcome,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"outcome":"${outcome}","eventId":"evt_1"}`,
    eventId: 'evt_1',
    secretIndex: 0,
    signedAt: now,
  })

  it('processed, then duplicate', async () => {
    const same = receiver()
    const first = await same.receive(await delivery())
    expect(first).toEqual({ ...ok('processed'), event: first.event })
    expect(first.event).toMatchObject(settled)
    const again = await delivery(settled, { timestamp: now + 5 })
    expect(await same.receive(again)).toMatchObject({ ...ok('duplicate'), signedAt: now + 5 })
  })

  it('ignored, without a call to the store', async () => {
    const store = scriptedStore()
    const same = createReceiver({ ...base, store, handlers: {} })
    expect(await same.receive(await delivery())).toMatchObject(ok('ignored'))
    expect(store.calls).toEqual([])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'ignored for the type %s',
    async (type) => {
      expect(await receiver().receive(await delivery({ ...settled, type }))).toMatchObject(ok('ignored'))
    },
  )

  it('with warnings for the operator but not for the sender', async () => {
    const odd = receiver({ handlers: { 'transfer.failed': () => {} } } as never)
    const result = await odd.receive(await delivery({ ...settled, type: 'transfer.failed', data: {} }))
    expect(result).toMatchObject({
      ...ok('processed'),
      warnings: ['data is not as expected: data.transferId'],
    })
  })
})

describe('retry-after', () => {
  it.each([
    [7.2, '8'],
    [0.01, '1'],
    [0, '1'],
    [-3, '1'],
    [60, '60'],
  ])('%d s is said as %s', async (retryAfterSeconds, expected) => {
    const store = scriptedStore({ once: async () => ({ state: 'busy', retryAfterSeconds }) })
    const result = await receive({}, { store })
    expect(result.headers['retry-after']).toBe(expected)
  })
})

describe('what is admitted', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    ' application/json ',
    'application/cloudevents+json',
    'application/vnd.api+json; v=1',
  ])('the content type %j', async (type) => {
    expect(await receive({ headers: { 'content-type': type } })).toMatchObject({ outcome: 'processed' })
  })

  it.each([
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/x-json',
    'json',
    'text/plain; application/json',
    'application/json, text/plain',
    '+json',
    'application/+json',
    '',
  ])('not the content type %j', async (type) => {
    expect(await receive({ headers: { 'content-type': type } })).toMatchObject({
      code: 'unsupported_media_type',
    })
  })

  it.each(['identity', 'IDENTITY', '', ' '])('the content encoding %j', async (encoding) => {
    expect(await receive({ headers: { 'content-encoding': encoding } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it.each(['gzip', 'br', 'gzip, identity', 'identity, gzip', 'x'])(
    'not the content encoding %j',
    async (encoding) => {
      expect(await receive({ headers: { 'content-encoding': encoding } })).toMatchObject({
        code: 'unsupported_content_encoding',
      })
    },
  )

  it('a body of exactly the largest size, but not one byte more', async () => {
    const size = JSON.stringify(settled).length
    expect(await receive({}, { maxBodyBytes: size })).toMatchObject({ outcome: 'processed' })
    expect(await receive({ headers: { 'content-length': `${size}` } }, { maxBodyBytes: size })).toMatchObject(
      { outcome: 'processed' },
    )
    expect(await receive({}, { maxBodyBytes: size - 1 })).toMatchObject({ code: 'body_too_large' })
    expect(
      await receive({ headers: { 'content-length': `${size}` } }, { maxBodyBytes: size - 1 }),
    ).toMatchObject({ code: 'body_too_large' })
  })

  it('a request without a method, which means POST', async () => {
    const { method: _, ...request } = await delivery()
    expect(await receiver().receive(request)).toMatchObject({ outcome: 'processed' })
  })

  it('headers in every supported form', async () => {
    const { headers } = await delivery()
    const forms: ReceiveRequest['headers'][] = [
      headers,
      new Headers(headers as Record<string, string>),
      (name: string) => (headers as Record<string, string>)[name],
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value as string]])),
    ]
    for (const form of forms) {
      const request = { ...(await delivery()), headers: form }
      expect(await receiver().receive(request)).toMatchObject({ outcome: 'processed' })
    }
  })

  it('a body from a reader, which is called once, after the headers, with the size limit', async () => {
    const { body, ...request } = await delivery()
    const read = vi.fn(async () => body as Uint8Array)
    expect(await receiver().receive({ ...request, body: read })).toMatchObject({ outcome: 'processed' })
    expect(read).toHaveBeenCalledTimes(1)
    expect(read).toHaveBeenCalledWith(1_048_576, expect.objectContaining({ aborted: false }))
    await receiver().receive({ ...request, method: 'GET', body: read })
    await receiver().receive({ ...request, headers: {}, body: read })
    expect(read).toHaveBeenCalledTimes(1)
  })

  it.each<[string, unknown]>([
    ['parsed', settled],
    ['a string', JSON.stringify(settled)],
    ['null', null],
    ['nothing', undefined],
    ['a reader of a parsed body', async () => settled],
    ['a reader of a string', async () => JSON.stringify(settled)],
    ['a reader of nothing', async () => undefined],
  ])('no body that is %s: the program is wrong, and receive rejects', async (_, body) => {
    const request = { ...(await delivery()), body } as ReceiveRequest
    await expect(receiver().receive(request)).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'body_not_bytes',
    })
  })
})

describe('the event id header', () => {
  it('may be missing from a Headers object', async () => {
    const request = await delivery(settled, { headers: { 'service-event-id': undefined } })
    const headers = new Headers(request.headers as Record<string, string>)
    expect(await receiver().receive({ ...request, headers })).toMatchObject({ outcome: 'processed' })
  })

  it('may be missing', async () => {
    expect(await receive({ headers: { 'service-event-id': undefined } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it('may be required', async () => {
    expect(await receive({}, { requireEventIdHeader: true })).toMatchObject({ outcome: 'processed' })
  })

  it('may be a list with one element', async () => {
    expect(await receive({ headers: { 'service-event-id': ['evt_1'] } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it.each(['a"b\\c', '"}', '</script>', "a'b", '\u{1f4b8}'])(
    '%s is escaped as JSON in the response',
    async (id) => {
      const { createdAt, environment: _, ...rest } = settled
      const snake = { ...rest, id, type: 'x', created_at: createdAt, data: {} }
      const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
      const headers = { 'service-event-id': Buffer.from(id).toString('latin1') }
      const { body } = await receiver.receive(await delivery(snake, { headers }))
      expect(body).toBe(JSON.stringify({ outcome: 'processed', eventId: id }))
    },
  )

  it('is decoded from bytes when it is not ASCII', async () => {
    const id = 'zaharë-\u{1f4b8}'
    const { createdAt, environment: _, ...rest } = settled
    const snake = { ...rest, id, type: 'x', created_at: createdAt, data: {} }
    const any = () => createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    for (const header of [id, Buffer.from(id).toString('latin1')]) {
      const request = await delivery(snake, { headers: { 'service-event-id': header } })
      expect(await any().receive(request)).toMatchObject({ outcome: 'processed', eventId: id })
    }
    const other = await delivery(snake, { headers: { 'service-event-id': `${id}x` } })
    expect(await any().receive(other)).toMatchObject({ code: 'event_id_mismatch' })
  })

  it('is signed if the scheme says so', async () => {
    const scheme = { content: 'id.timestamp.body' } as const
    const deliver = async (headers: Record<string, string | string[] | undefined>) =>
      receiver({ scheme }).receive(await delivery(settled, { scheme, headers }))
    expect(await deliver({})).toMatchObject({ outcome: 'processed' })
    expect(await deliver({ 'service-event-id': ['evt_1'] })).toMatchObject({ outcome: 'processed' })
    expect(await deliver({ 'service-event-id': 'evt_2' })).toMatchObject({ code: 'signature_mismatch' })
    expect(await deliver({ 'service-event-id': undefined })).toMatchObject({ code: 'malformed_signature' })
    expect(await deliver({ 'service-event-id': ['evt_1', 'evt_1'] })).toMatchObject({
      code: 'malformed_signature',
    })
  })
})

describe('environments', () => {
  const { environment: _, ...without } = settled
  it.each([
    ['one of them', settled, ['production', 'sandbox'], 'processed'],
    ['none of them', settled, ['production'], 'rejected'],
    ['in another case', settled, ['Sandbox'], 'rejected'],
    ['none named', without, ['production'], 'processed'],
    ['no list', settled, undefined, 'processed'],
  ])('%s', async (_, event, environments, outcome) => {
    const same = receiver(environments ? { environments } : {})
    expect(await same.receive(await delivery(event))).toMatchObject({ outcome })
  })
})

describe('a gate', () => {
  it('runs the route once', async () => {
    const gate = createGate({ ...base, store: memoryStore() })
    const route = vi.fn(async () => {})
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'processed' })
    expect(route).toHaveBeenCalledTimes(1)
    expect(route).toHaveBeenCalledWith(
      expect.objectContaining({ id: 'evt_1' }),
      expect.objectContaining({ attempt: 1 }),
    )
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'duplicate' })
    expect(route).toHaveBeenCalledTimes(1)
  })

  it('releases the event when the route fails', async () => {
    const gate = createGate({ ...base, store: memoryStore() })
    const route = vi.fn().mockRejectedValueOnce(new Error('500')).mockResolvedValueOnce(undefined)
    expect(await gate.receive(await delivery(), route)).toMatchObject({ code: 'handler_failed' })
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'processed' })
    expect(route).toHaveBeenLastCalledWith(expect.anything(), expect.objectContaining({ attempt: 2 }))
  })
})
