import { describe, expect, it } from 'vitest'
import { type Code, codes } from '../../src/codes.js'
import type { ReceiveResult } from '../../src/result.js'
import { delivery, now, settled } from './deliver.js'
import { receive, receiveBody, receiver } from './receive.js'
import { never, scriptedStore } from './scripted-store.js'

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
