import { describe, expect, it } from 'vitest'
import { diagnose } from '../src/index.js'
import { body, event, good, now, secret, sign } from './delivery.js'

/** There are few ways to change a body that is no JSON, so the search ends soon. */
const short = { ...good, body: Buffer.from('x') }

const meanings = async (header: string, at = now) =>
  (await diagnose({ ...short, header, now: at })).header.parts.map(({ tag, meaning }) => `${tag}: ${meaning}`)

describe('the header', () => {
  it('is explained part by part', async () => {
    expect(await meanings(`t=${now},v1=${'0'.repeat(64)},v2=new,v1=abc,junk`, now + 90)).toEqual([
      't: 2027-01-15T08:00:00Z, 1 minute 30 seconds ago: within the tolerance of 300 s',
      'v1: 32 bytes in hex',
      'v2: an unknown tag: the receiver skips it',
      'v1: 3 hex digits; a signature has 64',
      ': not a tag=value pair: the receiver rejects the header',
    ])
  })

  it.each([
    [
      `t=${now}`,
      now - 400,
      't: 2027-01-15T08:00:00Z, 6 minutes 40 seconds ahead: outside the tolerance of 300 s',
    ],
    [`t=${now}`, now, 't: 2027-01-15T08:00:00Z, now: within the tolerance of 300 s'],
    ['t=soon', now, 't: not a time in unix seconds'],
    [
      `t=${now}000`,
      now,
      't: 2027-01-15T08:00:00Z, now: within the tolerance of 300 s if these are milliseconds; the receiver expects seconds',
    ],
    [`t=${now}`, now - 300, 't: 2027-01-15T08:00:00Z, 5 minutes ahead: within the tolerance of 300 s'],
    [
      `t=${now}`,
      now + 301,
      't: 2027-01-15T08:00:00Z, 5 minutes 1 second ago: outside the tolerance of 300 s',
    ],
    ['t=999999999999', 999_999_999_999, 't: +033658-09-27T01:46:39Z, now: within the tolerance of 300 s'],
    [
      `t=${now}000000`,
      now,
      't: 2027-01-15T08:00:00Z, now: within the tolerance of 300 s if these are microseconds; the receiver expects seconds',
    ],
    [
      `t=${now}0000`,
      now * 10,
      't: 2540-05-25T08:00:00Z, now: within the tolerance of 300 s if these are milliseconds; the receiver expects seconds',
    ],
    ['t=12345678901234567', now, 't: not a time in unix seconds'],
    [`t=${now}s`, now, 't: not a time in unix seconds'],
    ['t=-1', now, 't: not a time in unix seconds'],
    [' v9 = x ', now, 'v9 : an unknown tag: the receiver skips it'],
    ['=x', now, ': not a tag=value pair: the receiver rejects the header'],
    ['v1=', now, 'v1: an empty signature'],
    [`v1=${'Ab'.repeat(32)}`, now, 'v1: 32 bytes in hex'],
    [`v1=${'a'.repeat(65)}`, now, 'v1: 65 hex digits; a signature has 64'],
    [`v1=${'A'.repeat(42)}+=`, now, 'v1: 32 bytes in base64'],
    [`v1=${'A'.repeat(42)}-=`, now, 'v1: 32 bytes in base64url'],
    [`v1=${'x'.repeat(44)}`, now, 'v1: 44 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=?${'A'.repeat(43)}=`, now, 'v1: 45 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=?${'A'.repeat(43)}`, now, 'v1: 44 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=?${'a'.repeat(64)}`, now, 'v1: 65 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    ['v1=ab?', now, 'v1: 3 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=${'A'.repeat(43)}=`, now, 'v1: 32 bytes in base64'],
    [`v1=${'A'.repeat(43)}=?`, now, 'v1: 45 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=${'_'.repeat(43)}=?`, now, 'v1: 45 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=${'a'.repeat(64)}?`, now, 'v1: 65 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
    [`v1=${'_'.repeat(43)}`, now, 'v1: 32 bytes in base64url'],
    ['v1=?', now, 'v1: 1 characters; an HMAC-SHA-256 has 64 in hex, 44 in base64'],
  ])('explains %s', async (header, at, meaning) => {
    expect(await meanings(header, at)).toEqual([meaning])
  })

  it.each([
    ['', 'there is none'],
    ['t=1', 'it has no v1'],
    ['v1=00', 'it has no t'],
    ['t=x,v1=00', 't is not 1 to 12 digits'],
    ['t=1,t=2,v1=00', 't is given twice'],
  ])('%j is rejected with the receiver’s own reason', async (header, problem) => {
    const diagnosis = await diagnose({ ...short, header })
    expect(diagnosis).toMatchObject({ isAccepted: false, header: { problem }, causes: [] })
  })

  it('has no parts where it is empty, and no problem where the receiver can read it', async () => {
    expect((await diagnose({ ...short, header: '' })).header.parts).toEqual([])
    expect((await diagnose(good)).header).toEqual({ parts: expect.any(Array) })
  })
})

describe('a delivery at the wrong time', () => {
  it.each([
    [301, 'timestamp_too_old', '5 minutes 1 second before 2027-01-15T08:05:01Z'],
    [-301, 'timestamp_ahead', '5 minutes 1 second after 2027-01-15T07:54:59Z'],
    [7200, 'timestamp_too_old', '2 hours before 2027-01-15T10:00:00Z'],
  ])('is told by how much: %i s', async (late, code, distance) => {
    const { causes } = await diagnose({ ...good, now: now + late })
    const evidence = `t is 2027-01-15T08:00:00Z, ${distance}; the tolerance is 300 s.`
    expect(causes).toMatchObject([{ code, evidence }])
  })
})

describe('the body', () => {
  it.each([
    ['', 'empty'],
    [new Uint8Array([0xff, 0]), 'not UTF-8'],
    ['a=1', 'not JSON'],
    ['{"a":1}', 'JSON on one line'],
    ['{ "a": 1,\n"b": 2 }', 'JSON on several lines'],
    ['{\n  "a": 1\n}\n', 'JSON indented by 2 spaces, ends with a line break'],
    ['{\r\n\t"a": 1\r\n}', 'JSON indented by tabs, lines end with \\r\\n'],
    ['\ufeff[]', 'JSON on one line, begins with a byte order mark'],
    ['\ufeff{\n    "a": 1}', 'JSON indented by 4 spaces, begins with a byte order mark'],
    [' [\n  1\n]', 'JSON indented by 2 spaces'],
    ['[\r\n 1\r\n]', 'JSON indented by 1 spaces, lines end with \\r\\n'],
    ['{"a":{\n  "b": 1}}', 'JSON on several lines'],
    ['[\n1]', 'JSON on several lines'],
    ['[\r1]', 'JSON on several lines'],
    ['\n[1]\n', 'JSON on one line, ends with a line break'],
    ['7', 'JSON on one line'],
    ['a\n', 'not JSON, ends with a line break'],
    ['[1]\ufeff', 'not JSON'],
    [`"${'x'.repeat(2 ** 21 - 2)}"`, 'JSON on one line'],
    [`"${'x'.repeat(2 ** 21 - 1)}"`, 'text'],
    [`${'x'.repeat(2 ** 21 - 1)}ë\r\n`, 'text, ends with a line break'],
    [Buffer.concat([Buffer.alloc(2 ** 21 - 1, 'x'), Buffer.from([0xc3])]), 'not UTF-8'],
  ])('number %# is described', async (bytes, description) => {
    const given = Buffer.from(bytes)
    const diagnosis = await diagnose({ ...good, header: undefined, body: given })
    expect(diagnosis.body).toEqual({ bytes: given.length, description })
  })
})

describe('the expected signature', () => {
  it('is in the result only where it is asked for', async () => {
    const given = { ...good, header: `t=${now},v1=${'0'.repeat(64)}` }
    const expected = sign(body, secret.secret, now)
    expect(JSON.stringify(await diagnose(given))).not.toContain(expected.slice(-64))
    expect((await diagnose({ ...given, showExpected: true })).expected).toBe(expected)
  })

  it('is absent where the secret cannot be used', async () => {
    const padded = { ...secret, secret: `${secret.secret}\n` }
    expect((await diagnose({ ...good, secret: padded, showExpected: true })).expected).toBeUndefined()
  })
})

it('a large body of JSON says what was not tried', async () => {
  const large = Buffer.from(JSON.stringify({ ...event, pad: 'x'.repeat(3_000_000) }))
  const { causes, search } = await diagnose({ ...good, body: large, header: sign('x', secret.secret, now) })
  expect(causes).toEqual([])
  expect(search.leftOut).toEqual([
    'JSON that was parsed and serialized again: the body is larger than 2 MiB',
    'some combinations of several faults: the body is too large to try them all',
  ])
})

it('reports progress in a long search', async () => {
  const counts: number[] = []
  const large = Buffer.from(JSON.stringify({ ...event, pad: 'x'.repeat(1_000_000) }))
  await diagnose({
    ...good,
    body: large,
    header: sign('x', secret.secret, now),
    onProgress: (tried) => counts.push(tried),
  })
  expect(counts.length).toBeGreaterThan(0)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
})

it('rejects a scheme that no receiver takes', async () => {
  await expect(diagnose({ ...good, scheme: { encoding: 'rot13' as 'hex' } })).rejects.toMatchObject({
    code: 'invalid_option',
  })
})
