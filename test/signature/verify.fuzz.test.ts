import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { runs } from '../fuzz-runs.js'
import { bodies, type Delivery, judge, schemes, secret, sign, timestamps } from './signed-bodies.js'

// A long search, or a busy machine, needs more time.
vi.setConfig({ testTimeout: 600_000 })

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
