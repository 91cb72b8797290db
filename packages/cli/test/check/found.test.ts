import { describe, expect, it } from 'vitest'
import { record } from './recorder.js'

/** Cases with valid deliveries, and the one of several deliveries that is named. */
const valid: readonly (readonly [id: string, first: string])[] = [
  ['valid-camel-case', ''],
  ['valid-snake-case', ''],
  ['known-types', 'transfer.settled: '],
  ['unknown-type', 'evidence.exported: '],
  ['unknown-fields', ''],
  ['old-event', ''],
  ['several-signatures', 'right one first: '],
  ['other-tags', ''],
  ['rotated-secret', ''],
  ['number-forms', ''],
  ['escapes', ''],
  ['unicode', ''],
  ['white-space', ''],
  ['content-type-parameters', ''],
  ['chunked', ''],
  ['expect-continue', ''],
  ['aborted-upload', ''],
  ['connection-reuse', ''],
  ['duplicate', 'delivery 1: '],
  ['other-content', 'the first: '],
  ['out-of-order', 'ledger.matched: '],
]

/** Cases with deliveries to reject. */
const invalid: readonly (readonly [id: string, first: string])[] = [
  ['id-header-missing', ''],
  ['nul-character', ''],
  ['big-numbers', ''],
  ['unsigned', ''],
  ['wrong-secret', ''],
  ['tampered-body', ''],
  ['tampered-time', ''],
  ['reserialized-body', ''],
  ['added-newline', ''],
  ['stale', ''],
  ['future', ''],
  ['id-mismatch', ''],
  ['sandbox-event', ''],
  ['repeated-header', ''],
  ['two-timestamps', ''],
  ['malformed-header', 'an empty header: '],
  ['no-signature-in-header', 't alone: '],
  ['other-tag-alone', 'v0: '],
  ['short-signature', 'one character: '],
  ['undecodable-signature', 'other characters: '],
  ['long-header', 'many signatures: '],
  ['empty-body', 'no bytes: '],
  ['not-json', 'cut off JSON: '],
  ['not-an-event', 'null: '],
  ['not-utf8', ''],
  ['deep-body', ''],
  ['wrong-content-type', ''],
  ['compressed-body', ''],
  ['other-methods', 'GET: '],
]

const statuses = [302, 400, 429, 503] as const

describe('at a receiver that answers all with', () => {
  describe.each(statuses)('%i', (status) => {
    it.each(valid)('the case %s finds that a valid delivery is not acknowledged', async (id, first) => {
      const why = {
        302: 'it was redirected, and senders do not follow redirects',
        400: 'a valid delivery was rejected',
        429: 'a valid delivery was rejected',
        503: 'a valid delivery was not acknowledged',
      }
      expect((await record(id, status)).finding).toBe(`fail ${first}${status}; ${why[status]}`)
    })

    it.each(invalid)('the case %s finds what is better or worse than a rejection', async (id, first) => {
      const found = {
        302: ['fail', '; it was redirected instead of rejected'],
        400: ['pass', ''],
        429: ['warn', '; the receiver limits the rate, which proves nothing'],
        503: ['fail', '; the receiver broke on it instead of rejecting it'],
      }
      const [verdict, why] = found[status]
      expect((await record(id, status)).finding).toBe(`${verdict} ${first}${status}${why}`)
    })

    it.each([
      'effect-once',
      'effect-of-duplicates',
      'effect-of-eight-at-once',
      'effect-of-other-content',
      'effect-of-other-id-header',
      'effect-of-refused',
    ])('the case %s finds that the probe does not work', async (id) => {
      expect((await record(id, status)).finding).toBe(
        `fail the probe answered ${status}; the probe does not work`,
      )
    })
  })
})

it('eight concurrent deliveries are neither acknowledged nor deferred', async () => {
  for (const status of [302, 400, 500]) {
    const { finding, sent } = await record('eight-at-once', status)
    expect(finding).toBe(`fail ${status}; it was neither acknowledged nor deferred`)
    expect(sent).toEqual(['9 x POST t,v1=right'])
  }
})

it.each([
  [302, 'fail 302; it was redirected instead of rejected'],
  [400, 'fail 400; all 32 MiB were read before it was rejected'],
  [413, 'pass 413'],
  [429, 'warn 429; the receiver limits the rate, which proves nothing'],
])('a receiver that reads 32 MiB and answers with %i', async (status, finding) => {
  expect((await record('too-large', status)).finding).toBe(finding)
})

it.each([
  [300, 'fail 150 s ago: 300; it was redirected, and senders do not follow redirects'],
  [400, 'warn 150 s ago: 400; a valid delivery was rejected'],
  [500, 'fail 150 s ago: 500; a valid delivery was not acknowledged'],
])('a delivery within the tolerance may be rejected, but not answered with %i', async (status, finding) => {
  expect((await record('within-tolerance', status)).finding).toBe(finding)
})

it.each(['not-json', 'not-utf8', 'other-content'])(
  'the case %s passes where the body is kept',
  async (id) => {
    const { finding } = await record(id, 200, '{"outcome":"quarantined"}')
    expect(finding).toMatch(/^pass (cut off JSON: )?200 in \d+ ms: /)
  },
)

it('a method that the server does not know passes with 501', async () => {
  expect((await record('other-methods', 501)).finding).toBe('pass GET: 501')
})
