import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Code, codes } from '../../src/codes.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveRequest } from '../../src/request.js'
import type { ReceiveResult } from '../../src/result.js'
import { runs } from '../fuzz-runs.js'
import { clock, delivery, now, secret, settled } from './deliver.js'
import { scriptedStore } from './scripted-store.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

afterEach(() => {
  vi.restoreAllMocks()
})

const outcomes = ['processed', 'duplicate', 'ignored', 'in_progress', 'failed', 'rejected']

/** Checks that hold for every answer to any request. */
function isDocumented(result: ReceiveResult): void {
  expect(outcomes).toContain(result.outcome)
  const { code, outcome, eventId } = result
  expect(result.status).toBe(code ? codes[code as Code].status : 200)
  expect(result.body).toBe(
    JSON.stringify({ outcome, ...(code && { code }), ...(eventId !== undefined && { eventId }) }),
  )
  expect(code === undefined).toBe(result.status === 200)
}

const name = fc.constantFrom(
  'service-signature',
  'service-event-id',
  'content-type',
  'content-encoding',
  'content-length',
  'Service-Signature',
  'CONTENT-TYPE',
  'get',
  'has',
  '__proto__',
  'constructor',
)
const value = fc.oneof(
  fc.constantFrom(
    'application/json',
    'identity',
    'gzip',
    '5',
    '-1',
    '1e9',
    'NaN',
    'evt_1',
    '',
    `t=${now},v1=${'0'.repeat(64)}`,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
  fc.constantFrom(undefined, null, 0, 17, true, {}, []),
)
const headers = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(name, value, { noNullPrototype: false })
      .map((record) => ({ 'content-type': 'application/json', ...record })),
  },
  {
    weight: 2,
    arbitrary: fc.constant({
      'content-type': 'application/json',
      'service-signature': `t=1700000000,v1=${'0'.repeat(64)}`,
    }),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 10 }), value) },
  { weight: 1, arbitrary: fc.constant(new Headers({ 'content-type': 'application/json' })) },
  { weight: 1, arbitrary: value.map((any) => () => any) },
)
const body = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.constantFrom(
    ...[JSON.stringify(settled), '{}', '', '['.repeat(200)].map((text) => new TextEncoder().encode(text)),
  ),
  fc.constantFrom(
    async () => new Uint8Array(2),
    async () => new Uint8Array(100),
    async () => 'body_too_large',
    async () => 'body_already_read',
    async () => 'body_incomplete',
    async () => Promise.reject(new Error('aborted')),
    () => {
      throw new Error('gone')
    },
  ),
)
const request = fc.record({
  method: fc.oneof(
    fc.constant('POST'),
    fc.constantFrom(undefined, 'GET', '', 'post', 'P\u0000ST'),
    fc.string(),
  ),
  headers,
  body,
  url: fc.option(fc.webPath(), { nil: undefined }),
}) as fc.Arbitrary<ReceiveRequest>

const addressed = (over: object): [ReceiveRequest] => [
  {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-signature': `t=${now},v1=${'0'.repeat(64)}` },
    body: new Uint8Array(2),
    ...over,
  },
]

/** A request for each code. Random requests alone may miss one when they are few. */
const examples: Readonly<Record<string, [ReceiveRequest]>> = {
  missing_signature: addressed({ headers: { 'content-type': 'application/json' } }),
  malformed_signature: addressed({
    headers: { 'content-type': 'application/json', 'service-signature': 'hello' },
  }),
  signature_mismatch: addressed({}),
  method_not_allowed: addressed({ method: 'GET' }),
  unsupported_media_type: addressed({ headers: {} }),
  body_too_large: addressed({ body: new Uint8Array(91) }),
  body_incomplete: addressed({ body: () => Promise.reject(new Error('aborted')) }),
  body_already_read: addressed({ body: async () => 'body_already_read' }),
}

describe('receive', () => {
  it('answers any request with a documented code and status, and touches nothing for a forgery', async () => {
    const store = scriptedStore()
    const handler = vi.fn()
    const receiver = createReceiver({
      secret,
      now: clock,
      logger: false,
      maxBodyBytes: 90,
      store,
      fallback: handler,
    })
    const parse = vi.spyOn(JSON, 'parse')
    const seen = new Set<string | undefined>()
    await fc.assert(
      fc.asyncProperty(request, async (any) => {
        const result = await receiver.receive(any)
        isDocumented(result)
        expect(result.outcome).not.toBe('processed')
        seen.add(result.code)
      }),
      { numRuns: runs(20_000), examples: Object.values(examples) },
    )
    expect(parse).not.toHaveBeenCalled()
    expect(handler).not.toHaveBeenCalled()
    expect(store.calls).toEqual([])
    for (const code of Object.keys(examples)) {
      expect(seen).toContain(code)
    }
  })

  it('answers any authentic body with a documented code and status', async () => {
    const json = fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ unit: 'binary' }))
    const field = fc.constantFrom(
      'id',
      'type',
      'createdAt',
      'created_at',
      'data',
      'environment',
      'metadata',
      'raw',
      'a_b',
      '__proto__',
    )
    const anyBody = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      json,
      fc
        .dictionary(field, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
        .map((over) => JSON.stringify({ ...settled, ...over })),
      fc
        .tuple(field, fc.json({ maxDepth: 2 }))
        .map(([key, text]) => `{"${key}":${text},${JSON.stringify(settled).slice(1)}`),
    )
    const handler = fc.constantFrom(
      () => {},
      () => {
        throw new Error('no')
      },
      () => Promise.reject(undefined),
    )
    await fc.assert(
      fc.asyncProperty(anyBody, handler, async (content, fallback) => {
        const receiver = createReceiver({
          secret,
          now: clock,
          logger: false,
          store: scriptedStore(),
          fallback,
        })
        const signed = await delivery(content)
        const first = await receiver.receive(signed)
        isDocumented(first)
        const second = await receiver.receive(signed)
        isDocumented(second)
        expect(second.outcome).toBe(first.outcome === 'processed' ? 'duplicate' : first.outcome)
        expect(first.status).not.toBe(401)
      }),
      { numRuns: runs(8000) },
    )
  })
})
