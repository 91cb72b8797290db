import { describe, expect, it } from 'vitest'
import { signPayload } from '../../src/signature/sign.js'
import { accepted, body, now, outcome, secret } from './vector.js'

describe('rotation', () => {
  const old = 'whsec_old'
  const current = 'whsec_current'
  const signedWith = (...secrets: string[]) => signPayload({ body, secret: secrets, timestamp: now })

  it('accepts either of two configured secrets, and names which', async () => {
    const both = [current, old]
    expect(await outcome({ header: await signedWith(current), secret: both })).toEqual({
      timestamp: now,
      secretIndex: 0,
    })
    expect(await outcome({ header: await signedWith(old), secret: both })).toEqual({
      timestamp: now,
      secretIndex: 1,
    })
  })

  it('accepts a sender that signs with both, if either is configured', async () => {
    const header = await signedWith(old, current)
    for (const secret of [old, current]) {
      expect(await outcome({ header, secret })).toEqual(accepted)
    }
    expect(await outcome({ header, secret: [current, old] })).toEqual(accepted)
    expect(await outcome({ header, secret: ['x', old, current] })).toEqual({ timestamp: now, secretIndex: 1 })
    // The index is that of the first matching secret, in any order of signatures.
    expect(await outcome({ header, secret: [old, current] })).toEqual(accepted)
  })

  it('rejects a removed secret', async () => {
    expect(await outcome({ header: await signedWith(old), secret: [current] })).toBe('signature_mismatch')
    expect(await outcome({ header: await signedWith(old), secret: current })).toBe('signature_mismatch')
  })
})

describe('bodies that parsing or decoding would change', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const bodies: Record<string, Uint8Array> = {
    'a byte order mark': bytes([0xef, 0xbb, 0xbf], '{}'),
    'no byte order mark': bytes('{}'),
    'lines ended by CR LF': bytes('{\r\n}\r\n'),
    'lines ended by LF': bytes('{\n}\n'),
    'bytes that are not UTF-8': bytes([0x7b, 0xff, 0xfe, 0x7d]),
    'other bytes that are not UTF-8': bytes([0x7b, 0xc0, 0x80, 0x7d]),
    'the replacement character': bytes('{\ufffd\ufffd}'),
    'a surrogate encoded in UTF-8': bytes([0xed, 0xa0, 0x80]),
    'a composed letter': bytes('"\u00e9"'),
    'a decomposed letter': bytes('"e\u0301"'),
    'an escaped letter': bytes('"\\u00e9"'),
    'a number with a fraction of zero': bytes('{"a":1.0}'),
    'the same number without it': bytes('{"a":1}'),
    'a number with an exponent': bytes('{"a":1e2}'),
    'the same number without it: 100': bytes('{"a":100}'),
    'an integer beyond 2^53': bytes('{"a":9007199254740993}'),
    'its neighbor': bytes('{"a":9007199254740992}'),
    'keys in one order': bytes('{"a":1,"b":2}'),
    'keys in another order': bytes('{"b":2,"a":1}'),
    'white space between': bytes('{ "a": 1 }'),
    'a NUL at the end': bytes('{}\0'),
    nothing: bytes(),
  }
  const names = Object.keys(bodies)

  it.each(names)('%s: verifies only unchanged', async (name) => {
    const own = bodies[name] as Uint8Array
    const signed = await signPayload({ body: own, secret, timestamp: now })
    expect(await outcome({ body: own, header: signed })).toEqual(accepted)
    for (const other of names.filter((each) => each !== name)) {
      expect(await outcome({ body: bodies[other] as Uint8Array, header: signed }), other).toBe(
        'signature_mismatch',
      )
    }
  })
})
