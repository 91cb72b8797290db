import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs as fuzzRuns } from '../../../test/fuzz-runs.js'
import { caseOf } from '../src/case.js'
import { findMatch } from '../src/find-match.js'
import { type DiagnoseInput, diagnose } from '../src/index.js'
import type { Match } from '../src/search.js'
import { body, event, good, now, secret, sign } from './delivery.js'

const runs = fuzzRuns(40)

/** Every signature of a header as hex, as leniently as it can be read. */
function digestsIn(header: DiagnoseInput['header']): string[] {
  const value = [header ?? '']
    .flat()
    .join(',')
    .replaceAll(/\s|["']/g, '')
  return value.split(',').flatMap((element) => {
    const text = element.slice(element.indexOf('v1=') + 3)
    // What was cut may end within a byte.
    const bytes = text.slice(0, text.length === 43 ? 43 : text.length - (text.length % 4))
    return [text.toLowerCase(), Buffer.from(bytes, 'base64').toString('hex')]
  })
}

/** What a receiver accepts, in the fewest words: not with the code under test. */
function isGood({ body, header, secret, id }: DiagnoseInput, at: number): boolean {
  const [, t = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/i.exec(String(header)) ?? []
  const digest = createHmac('sha256', secret.secret).update(`${t}.`).update(body).digest('hex')
  let inBody: unknown
  try {
    inBody = JSON.parse(Buffer.from(body).toString()).id
  } catch {}
  return (
    digest === signature.toLowerCase() &&
    Math.abs(at - Number(t)) <= 300 &&
    (typeof inBody !== 'string' || inBody === id)
  )
}

/** Changes some bytes: replaces, removes, inserts or swaps them. */
const edit = fc.record({
  at: fc.nat(400),
  remove: fc.nat(3),
  insert: fc.uint8Array({ maxLength: 3 }),
})
const applyEdit = (
  bytes: Buffer,
  { at, remove, insert }: { at: number; remove: number; insert: Uint8Array },
) => {
  const start = at % (bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)])
}
const mutated = (text: Buffer | string) =>
  fc.array(edit, { maxLength: 2 }).map((edits) => edits.reduce(applyEdit, Buffer.from(text)))

const mutations = fc.record({
  body: mutated(body),
  header: mutated(good.header).map((bytes) => bytes.toString('latin1')),
  secret: mutated(secret.secret).map((bytes) => ({ name: 'S', secret: bytes.toString('latin1') })),
  now: fc.integer({ min: now - 400, max: now + 400 }),
  id: fc.constantFrom('evt_1', 'evt_2', undefined),
})

describe('whatever is done to body, header, secret and clock', () => {
  it('a bad delivery is never called good', async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (input) => {
        const { isAccepted, code } = await diagnose({ ...good, ...input })
        expect(isAccepted).toBe(code === undefined)
        if (isAccepted) {
          expect(isGood({ ...input, id: input.id ?? 'evt_1' }, input.now)).toBe(true)
        }
      }),
      { numRuns: runs },
    )
  })

  it('a cause is named only where its correction makes the signature match', async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (input) => {
        const given = { ...good, ...input }
        const { causes, code } = await diagnose(given)
        const { match } = await findMatch(caseOf(given))
        const isSearched =
          code === 'signature_mismatch' || code === 'malformed_signature' || code === 'invalid_secret'
        if (isSearched) {
          expect(causes.length > 0).toBe(match !== undefined)
        }
        if (match) {
          const digest = recomputed(match, given)
          const isCut = match.changes.some((change) => change.code === 'signature_cut')
          const isRight = (text: string) =>
            isCut ? text.length >= 12 && digest.startsWith(text) : text === digest
          expect(digestsIn(given.header).some(isRight)).toBe(true)
        }
      }),
      { numRuns: runs },
    )
  })
})

/** The HMAC over what the match says was signed, with the key that it says was used. */
function recomputed({ scheme, timestampText, body, key, changes }: Match, { id }: DiagnoseInput): string {
  const ids = changes.some((change) => change.code === 'event_id_mismatch') ? 'evt_1' : id
  const head = {
    'timestamp.body': `${timestampText}.`,
    'id.timestamp.body': `${ids}.${timestampText}.`,
    body: '',
  }
  const { secret, scheme: form } = key
  const text = secret.startsWith(form.keyPrefix) ? secret.slice(form.keyPrefix.length) : secret
  return createHmac('sha256', Buffer.from(text, form.key))
    .update(head[scheme.content])
    .update(body)
    .digest('hex')
}

const json = fc.dictionary(
  fc.string({ maxLength: 6 }),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
  ),
  { maxKeys: 6 },
)

/** Faults that a body of JSON suffers in transit; each can be undone. */
const faults = {
  prettyPrinted: (text: string) => JSON.stringify(JSON.parse(text), undefined, 2),
  indentedByTabs: (text: string) => JSON.stringify(JSON.parse(text), undefined, '\t'),
  lineBreakAdded: (text: string) => `${text}\n`,
  markAdded: (text: string) => `\ufeff${text}`,
  sentFromWindows: (text: string) => `${text}\r\n`,
}

describe('a fault that can be undone', () => {
  it.each(Object.entries(faults))('%s is found for any JSON', async (_, fault) => {
    await fc.assert(
      fc.asyncProperty(json, async (data) => {
        const text = JSON.stringify({ ...event, data })
        const given = Buffer.from(fault(text))
        const { causes } = await diagnose({ ...good, body: given, header: sign(text, secret.secret, now) })
        expect(causes).toHaveLength(1)
      }),
      { numRuns: runs },
    )
  })
})

describe('a diagnosis', () => {
  it('holds neither a secret nor an expected signature', async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (input) => {
        const given = { ...good, ...input, secret }
        const text = JSON.stringify(await diagnose(given))
        expect(text).not.toContain(secret.secret.slice(6))
        const expected = createHmac('sha256', secret.secret)
          .update(`${now}.`)
          .update(given.body)
          .digest('hex')
        if (!given.header.includes(expected)) {
          expect(text).not.toContain(expected)
        }
      }),
      { numRuns: runs },
    )
  })
})
