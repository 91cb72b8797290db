import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { VerificationError } from '../../src/errors.js'
import type { SignatureScheme } from '../../src/signature/scheme.js'
import { signPayload } from '../../src/signature/sign.js'
import { type Verified, verifySignature } from '../../src/signature/verify-signature.js'
import { runs } from '../fuzz-runs.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

const now = 1_700_000_000
const secret = 'whsec_fuzz'
const id = 'evt_fuzz'

interface Delivery {
  body: Uint8Array
  header: unknown
  t: number
  scheme: SignatureScheme
  id: string | undefined
}

/** The acceptance, or the code of a VerificationError. Any other error fails the test. */
async function judge(delivery: Omit<Delivery, 't'>): Promise<Verified | string> {
  const { body, header, scheme, id } = delivery
  try {
    const headerValue = header as string
    return await verifySignature({
      body,
      header: headerValue,
      secret,
      scheme,
      now,
      toleranceSeconds: 1e12,
      allowLongTolerance: true,
      ...(id !== undefined && { id }),
    })
  } catch (error) {
    if (error instanceof VerificationError) {
      return error.code
    }
    throw error
  }
}

const schemes = fc.record({
  content: fc.constantFrom('timestamp.body', 'id.timestamp.body', 'body'),
  encoding: fc.constantFrom('hex', 'base64', 'base64url'),
}) as fc.Arbitrary<SignatureScheme>

const interestingText = fc.constantFrom(
  '{"id":"evt_1","amount":1.0}',
  '{"amount":"10.00","name":"Zo\u00eb"}',
  '1.{"a":1}',
  '12345.{"a":1}',
  '.',
  '',
  '\ufeff{}',
  '{"a":"\\u00e9"}',
  'évt\u{1f4b8}',
)
const bodies = fc.oneof(
  { weight: 2, arbitrary: interestingText.map((text) => new Uint8Array(Buffer.from(text))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => new Uint8Array(Buffer.from(text))),
  },
)
const timestamps = fc.oneof(fc.constant(now), fc.integer({ min: 0, max: 999_999_999_999 }), fc.nat(99))

async function sign(
  scheme: SignatureScheme,
  body: Uint8Array,
  timestamp: number,
  eventId = id,
): Promise<Delivery> {
  const header = await signPayload({ body, secret, timestamp, scheme, id: eventId })
  return { body, header, t: timestamp, scheme, id: eventId }
}

const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0

/** Changes of bytes that a verifier misses if it decodes or joins them. */
const changes: ((body: Buffer, n: number, delivery: Delivery) => Uint8Array)[] = [
  (body, n) => {
    if (body.length === 0) {
      return Buffer.from([n & 255])
    }
    const other = Buffer.from(body)
    other[n % body.length] = (other[n % body.length] as number) ^ (1 << (n & 7))
    return other
  },
  (body) => Buffer.concat([Buffer.from('\ufeff'), body]),
  (body) => (body.subarray(0, 3).equals(Buffer.from('\ufeff')) ? body.subarray(3) : body),
  (body) => Buffer.from(body.toString('utf8')),
  (body) => Buffer.from(body.toString('latin1')),
  (body) => Buffer.from(body.toString('utf16le'), 'utf16le'),
  (body) => Buffer.from(body.toString('utf8').normalize('NFD')),
  (body) => Buffer.from(body.toString('utf8').normalize('NFC')),
  (body) => Buffer.from(body.toString('utf8').replace(/\r?\n/g, '\r\n')),
  (body) => Buffer.from(body.toString('utf8').trim()),
  (body, n) => Buffer.concat([body, Buffer.from([n & 255])]),
  (body, n) => Buffer.concat([Buffer.from([n & 255]), body]),
  (body) => body.subarray(1),
  (body) => body.subarray(0, -1),
  (body, n) => body.subarray(0, n % (body.length + 1)),
  (body) => Buffer.concat([body, body]),
  (body, _, { t }) => Buffer.concat([Buffer.from(`${t}.`), body]),
  (body, _, { id }) => Buffer.concat([Buffer.from(`${id}.`), body]),
  (body) => {
    try {
      return Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))))
    } catch {
      return Buffer.concat([body, Buffer.from('\0')])
    }
  },
]

describe('verifySignature', () => {
  it('accepts every signed body, in every scheme', async () => {
    await fc.assert(
      fc.asyncProperty(schemes, bodies, timestamps, async (scheme, body, t) => {
        expect(await judge(await sign(scheme, body, t))).toEqual({ timestamp: t, secretIndex: 0 })
      }),
      { numRuns: runs(10_000) },
    )
  })

  it('never accepts a body whose bytes differ from those signed', async () => {
    const change = fc.nat(changes.length - 1)
    await fc.assert(
      fc.asyncProperty(schemes, bodies, timestamps, change, fc.nat(), async (scheme, body, t, which, n) => {
        const delivery = await sign(scheme, body, t)
        const changed = (changes[which] as (typeof changes)[number])(Buffer.from(body), n, delivery)
        const verdict = await judge({ ...delivery, body: changed })
        if (sameBytes(changed, body)) {
          expect(verdict).toEqual({ timestamp: t, secretIndex: 0 })
        } else {
          expect(verdict).toBe('signature_mismatch')
        }
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('never moves the boundary between id, t and body', async () => {
    const parts = fc.tuple(
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...'0123456789.{}"a'), maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'0123456789.a'), minLength: 1, maxLength: 6 }),
    )
    const form = fc.constantFrom('timestamp.body', 'id.timestamp.body') as fc.Arbitrary<'timestamp.body'>
    await fc.assert(
      fc.asyncProperty(parts, form, async ([t, text, eventId], content) => {
        // Signed with node:crypto: a sender could sign exactly these bytes with some id, t and body.
        const signed = content === 'timestamp.body' ? `${t}.${text}` : `${eventId}.${t}.${text}`
        const v1 = createHmac('sha256', secret).update(signed).digest('hex')
        const accepted: string[] = []
        for (const [id, tText, body] of splits(signed, content)) {
          const verdict = await judge({
            body: Buffer.from(body),
            header: `t=${tText},v1=${v1}`,
            scheme: { content },
            id,
          })
          if (typeof verdict === 'object') {
            accepted.push(JSON.stringify([id, tText, body]))
          }
        }
        expect(accepted.length, accepted.join(' and ')).toBeLessThanOrEqual(1)
      }),
      { numRuns: runs(5000) },
    )
  })

  it('throws only its own error, and accepts nothing, for any header', async () => {
    const tag = fc.constantFrom(
      't',
      'v1',
      'v0',
      'v2',
      'T',
      ' t',
      't ',
      '',
      'v1=v1',
      'constructor',
      '__proto__',
    )
    const value = fc.oneof(
      fc.constantFrom(
        '',
        `${now}`,
        `0${now}`,
        `${now}000`,
        '-1',
        '1e9',
        'NaN',
        'a'.repeat(64),
        '0'.repeat(64),
        '=',
        '==',
      ),
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 62, maxLength: 66 }),
      fc.base64String({ maxLength: 48 }),
    )
    const separator = fc.constantFrom(',', ',', ',', ', ', ';', ',,', '\t,', '\n', '')
    const assembled = fc
      .array(fc.tuple(tag, fc.constantFrom('=', '=', '=', '', '=='), value, separator), { maxLength: 20 })
      .map((elements) => elements.map((each) => each.join('')).join(''))
    const header = fc.oneof(
      { weight: 4, arbitrary: assembled },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
      { weight: 1, arbitrary: fc.anything() },
      { weight: 1, arbitrary: fc.array(assembled, { maxLength: 3 }) },
    )
    await fc.assert(
      fc.asyncProperty(schemes, bodies, header, async (scheme, body, value) => {
        expect(await judge({ body, header: value, scheme, id })).toMatch(
          /^(missing_signature|malformed_signature|signature_mismatch)$/,
        )
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('accepts a mutated header only if it means the same', async () => {
    const position = fc.nat()
    const edit = fc.constantFrom<(text: string, at: number, by: string) => string>(
      (text, at, by) => text.slice(0, at) + by + text.slice(at),
      (text, at) => text.slice(0, at) + text.slice(at + 1),
      (text, at, by) => text.slice(0, at) + by + text.slice(at + 1),
      (text, at) => text.slice(0, at),
      (text, at) => text.slice(at),
      (text) => text.toUpperCase(),
      (text, at) => text.slice(0, at) + text.slice(at).toUpperCase(),
      (text) => `${text},${text}`,
      (text) => text.split(',').reverse().join(','),
    )
    const character = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...',=t1v0 \taF\u0661\uff11'),
    )
    await fc.assert(
      fc.asyncProperty(schemes, bodies, position, edit, character, async (scheme, body, n, mutate, by) => {
        const delivery = await sign(scheme, body, now)
        const header = mutate(delivery.header as string, n % ((delivery.header as string).length + 1), by)
        const verdict = await judge({ ...delivery, header })
        if (typeof verdict === 'string') {
          return
        }
        // Parsed independently: the literal t, and one v1 that decodes to the right 32 bytes.
        const elements = header.split(',').map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ''))
        const t = elements.filter((each) => each.startsWith('t=')).map((each) => each.slice(2))
        const v1 = elements.filter((each) => each.startsWith('v1=')).map((each) => each.slice(3))
        const head = { 'timestamp.body': `${t[0]}.`, 'id.timestamp.body': `${id}.${t[0]}.`, body: '' }[
          scheme.content as 'body'
        ]
        const right = createHmac('sha256', secret).update(head).update(body).digest()
        expect(t).toHaveLength(1)
        expect(verdict.timestamp).toBe(Number(t[0]))
        expect(v1.some((text) => right.equals(Buffer.from(text, scheme.encoding as 'hex')))).toBe(true)
      }),
      { numRuns: runs(20_000) },
    )
  })

  it('parses the longest header quickly', async () => {
    const fill = (unit: string) => unit.repeat(Math.floor(4000 / unit.length))
    const headers = [',', '=', ' ', 't', 't=', 'x=,', ' , ', '\t', 'v1=', 'v1=a'].map(
      (unit) => `t=${now},v1=aa,x=${fill(unit)}`,
    )
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) {
      for (const header of headers) {
        expect(await judge({ body: new Uint8Array(), header, scheme: {}, id })).toBeTypeOf('string')
      }
    }
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})

/** Every way to split signed content into id, t and body. */
function splits(signed: string, content: string): [id: string | undefined, t: string, body: string][] {
  const dots = [...signed].flatMap((character, i) => (character === '.' ? [i] : []))
  if (content === 'timestamp.body') {
    return dots.map((i) => [undefined, signed.slice(0, i), signed.slice(i + 1)])
  }
  return dots.flatMap((i) =>
    dots
      .filter((j) => j > i)
      .map((j): [string, string, string] => [
        signed.slice(0, i),
        signed.slice(i + 1, j),
        signed.slice(j + 1),
      ]),
  )
}
