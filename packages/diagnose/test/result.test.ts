import { describe, expect, it } from 'vitest'
import { diagnose } from '../src/index.js'
import { body, decodedKey, digest, good, now, secret, sign } from './delivery.js'

const wrong = sign('other', secret.secret, now)
/** There are few ways to change a body that is no JSON, so the search ends soon. */
const short = { ...good, body: Buffer.from('x'), header: wrong }

describe('the summary', () => {
  it.each([
    [good, 'The signature matches.'],
    [{ ...good, header: undefined }, 'There is no Service-Signature header.'],
    [{ ...good, now: now + 301 }, 'The signature matches, but its timestamp is outside the tolerance.'],
    [
      { ...good, id: 'evt_9' },
      'The signature matches, but Service-Event-Id differs from the id in the body.',
    ],
    [
      { ...good, id: 'evt_9', now: now + 301 },
      'The signature matches, but its timestamp is outside the tolerance.',
    ],
    [
      short,
      'The signature does not match these bytes and this secret. No correction that was tried makes it match.',
    ],
    [
      { ...short, header: 'v1=00' },
      'The receiver cannot read the Service-Signature header. No correction that was tried makes it match.',
    ],
    [
      { ...good, header: `"${good.header}"` },
      'The receiver cannot read the Service-Signature header. The header’s value has quotation marks around it.',
    ],
    [
      { ...good, secret: { ...secret, secret: ` ${secret.secret}` } },
      'The secret cannot be used: a receiver does not start with it. The secret has white space around it.',
    ],
    [
      { ...good, header: `"${good.header}"`, now: now + 301 },
      'The receiver cannot read the Service-Signature header. It has 2 causes; it matches once all are corrected.',
    ],
  ])('answers the question: %#', async (input, summary) => {
    expect((await diagnose(input)).summary).toBe(summary)
  })
})

describe('the expectation', () => {
  it.each([
    [undefined, 'hex over t, a dot and the body; its key is the secret as UTF-8'],
    [
      { content: 'id.timestamp.body', encoding: 'base64', key: 'base64', keyPrefix: 'whsec_' },
      'base64 over the event id, a dot, t, a dot and the body; its key is the secret decoded from base64 without whsec_',
    ],
    [
      { content: 'body', encoding: 'base64url', key: 'hex' },
      'base64url over the body alone; its key is the secret decoded from hex',
    ],
  ] as const)('is told for %o', async (scheme, expectation) => {
    const diagnosis = await diagnose({ ...good, header: undefined, scheme })
    expect(diagnosis.expectation).toBe(`v1 is an HMAC-SHA-256 in ${expectation}.`)
  })
})

describe('the expected header', () => {
  const expectedOf = async (input: object) =>
    (await diagnose({ ...short, body, showExpected: true, ...input, secret })).expected

  it('has the time of the given one, and now without one', async () => {
    expect(await expectedOf({ now: now + 9 })).toBe(good.header)
    expect(await expectedOf({ header: undefined, now: now + 9 })).toBe(sign(body, secret.secret, now + 9))
  })

  it('has a time in seconds, also where the given one is not', async () => {
    for (const rest of ['123', '123456']) {
      expect(await expectedOf({ header: wrong.replace(',', `${rest},`) })).toBe(good.header)
    }
  })

  it('is in the scheme of the receiver', async () => {
    const scheme = { content: 'id.timestamp.body', encoding: 'base64', key: 'base64', keyPrefix: 'whsec_' }
    const signature = digest(body, decodedKey, `evt_1.${now}.`).toString('base64')
    expect(await expectedOf({ scheme })).toBe(`t=${now},v1=${signature}`)
  })

  it('is absent where the id cannot be signed', async () => {
    const scheme = { content: 'id.timestamp.body' }
    expect(await expectedOf({ scheme, id: undefined, header: undefined })).toBeUndefined()
    expect(await expectedOf({ scheme, id: 'a b', header: undefined })).toBeUndefined()
  })
})

describe('a scheme that would match', () => {
  it('is printed for causes that lie in it, and for no others', async () => {
    const header = sign(body, secret.secret.slice(6), now)
    expect((await diagnose({ ...good, header })).schemeLine).toBe("scheme: { keyPrefix: 'whsec_' },")
    expect(await diagnose({ ...good, header: `"${good.header}"` })).not.toHaveProperty('schemeLine')
    expect(await diagnose(good)).not.toHaveProperty('schemeLine')
  })

  it('is not printed where it is the default', async () => {
    const diagnosis = await diagnose({ ...good, scheme: { encoding: 'base64' } })
    expect(diagnosis.causes).toMatchObject([{ code: 'signature_encoding' }])
    expect(diagnosis).not.toHaveProperty('schemeLine')
  })
})

describe('an id', () => {
  it.each([
    ['another in the body', { id: 'evt_9' }, 'event_id_mismatch'],
    ['none in the header', { id: undefined }, undefined],
    ['none in the body', { body: Buffer.from('{}') }, undefined],
    ['one that is a number', { body: Buffer.from('{"id":7}') }, undefined],
    ['a body that is null', { body: Buffer.from('null') }, undefined],
    ['a body with a byte order mark', { body: Buffer.from('\ufeff{"id":"evt_9"}') }, 'event_id_mismatch'],
    ['a body that is no UTF-8', { body: Buffer.from([0xff]) }, undefined],
  ])('%s', async (_case, change, code) => {
    const given = { ...good, ...change }
    const diagnosis = await diagnose({ ...given, header: sign(given.body, secret.secret, now) })
    expect(diagnosis.code).toBe(code)
    expect(diagnosis.isAccepted).toBe(code === undefined)
  })
})

it('the time of a delivery may be far away', async () => {
  const evidenceAt = async (t: number, at: number) =>
    (await diagnose({ ...good, header: sign(body, secret.secret, t), now: at })).causes[0]?.evidence
  expect(await evidenceAt(now - 90_000, now)).toContain(', 1 day 1 hour before 2027-01-15T08:00:00Z;')
  expect(await evidenceAt(now - 180_060, now)).toContain(', 2 days 2 hours before ')
  expect(await evidenceAt(now - 86_401, now)).toContain(', 1 day 1 second before ')
  expect(await evidenceAt(now + 3660, now)).toContain(', 1 hour 1 minute after ')
  expect(await evidenceAt(now, 1e14)).toContain(' before 100000000000000 s;')
})

it('a tolerance may be given, and its bounds are within it', async () => {
  for (const [toleranceSeconds, late, code] of [
    [10, 10, undefined],
    [10, -10, undefined],
    [10, 11, 'timestamp_too_old'],
    [10, -11, 'timestamp_ahead'],
  ] as const) {
    const { causes } = await diagnose({ ...good, toleranceSeconds, now: now + late })
    expect(causes[0]?.code).toBe(code)
  }
})
