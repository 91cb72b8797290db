import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, VerificationError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { signPayload } from '../../src/signature/sign.js'
import { type VerifyInput, verifySignature } from '../../src/signature/verify-signature.js'
import { memoryStore } from '../../src/stores/memory.js'

const now = 1_700_000_000
const secret = 'whsec_test_secret'
const body = new TextEncoder().encode('{"id":"evt_123","type":"transfer.settled"}')
const digest = 'a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191'
const header = `t=${now},v1=${digest}`

/** The result of a verification, or the code of its error. */
async function outcome(input: Partial<VerifyInput>): Promise<unknown> {
  try {
    return await verifySignature({ body, header, secret, now, ...input })
  } catch (error) {
    if (error instanceof VerificationError || error instanceof ConfigurationError) {
      return error.code
    }
    throw error
  }
}

const accepted = { timestamp: now, secretIndex: 0 }

describe('the published vector', () => {
  it('is accepted as bytes, as a Buffer and as a string', async () => {
    for (const form of [body, Buffer.from(body), new TextDecoder().decode(body)]) {
      expect(await outcome({ body: form })).toEqual(accepted)
    }
  })

  it('is accepted in upper-case and in mixed-case hex', async () => {
    expect(await outcome({ header: `t=${now},v1=${digest.toUpperCase()}` })).toEqual(accepted)
    expect(await outcome({ header: `t=${now},v1=A2a0${digest.slice(4)}` })).toEqual(accepted)
  })

  it('is accepted at any position beside wrong signatures', async () => {
    const wrong = '0'.repeat(64)
    for (const list of [
      [digest, wrong],
      [wrong, digest],
      ['zz', wrong, digest, 'short'],
    ]) {
      expect(await outcome({ header: `t=${now},${list.map((each) => `v1=${each}`).join(',')}` })).toEqual(
        accepted,
      )
    }
  })

  it('is accepted as the last of sixteen signatures', async () => {
    const others = `,v1=${'0'.repeat(64)}`.repeat(15)
    expect(await outcome({ header: `t=${now}${others},v1=${digest}` })).toEqual(accepted)
  })
})

describe('signatures that do not match', () => {
  const v1 = (text: string) => ({ header: `t=${now},v1=${text}` })

  it.each<[name: string, input: Partial<VerifyInput>]>([
    ['of another secret', { secret: 'whsec_other' }],
    ['of the secret without its prefix', { secret: 'test_secret' }],
    ['of the secret in another case', { secret: 'whsec_test_Secret' }],
    ['for another timestamp', { header: `t=${now + 1},v1=${digest}` }],
    ['with leading zeros added to t, which are signed literally', { header: `t=0${now},v1=${digest}` }],
    ['for no body', { body: new Uint8Array() }],
    ['for a body with a byte more', { body: Buffer.concat([body, Buffer.from('\n')]) }],
    ['for a body with a byte less', { body: body.subarray(0, -1) }],
    ['for a body with a byte before', { body: Buffer.concat([Buffer.from(' '), body]) }],
    ['with its last digit wrong', v1(`${digest.slice(0, -1)}0`)],
    ['with its first digit wrong', v1(`b${digest.slice(1)}`)],
    ['cut to 63 digits', v1(digest.slice(0, -1))],
    ['cut to 62 digits', v1(digest.slice(0, -2))],
    ['cut to one digit', v1('a')],
    ['with two digits more', v1(`${digest}00`)],
    ['given twice in one', v1(digest + digest)],
    ['with 0x before', v1(`0x${digest}`)],
    ['with a letter that is no digit', v1(`g${digest.slice(1)}`)],
    ['with a full-width digit', v1(`${digest.slice(0, -1)}１`)],
    ['in quotes', v1(`"${digest}"`)],
    ['in base64', v1(Buffer.from(digest, 'hex').toString('base64'))],
    ['of zeros', v1('0'.repeat(64))],
    ['under v0 beside a wrong v1', { header: `t=${now},v0=${digest},v1=${'0'.repeat(64)}` }],
    ['under v2 beside a wrong v1', { header: `t=${now},v1=${'0'.repeat(64)},v2=${digest}` }],
  ])('%s', async (_, input) => {
    expect(await outcome(input)).toBe('signature_mismatch')
  })
})

describe('a program that adds properties to all objects', () => {
  it.each(['secretIndex', 'timestamp', 'code'])('accepts no forgery because of %s', async (name) => {
    Object.defineProperty(Object.prototype, name, { value: 0, configurable: true })
    try {
      expect(await outcome({ header: `t=${now},v1=${'0'.repeat(64)}` })).toBe('signature_mismatch')
      expect(await outcome({ header: 'hello' })).toBe('malformed_signature')
      expect(await outcome({})).toEqual(accepted)
    } finally {
      Reflect.deleteProperty(Object.prototype, name)
    }
  })
})

describe('freshness', () => {
  it.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, accepted],
    [-1, accepted],
    [0, accepted],
    [1, accepted],
    [300, accepted],
    [301, 'timestamp_out_of_tolerance'],
    [300.5, 'timestamp_out_of_tolerance'],
    [1e9, 'timestamp_out_of_tolerance'],
  ])('a clock %d s after t', async (lead, expected) => {
    expect(await outcome({ now: now + lead })).toEqual(expected)
    expect(await outcome({ now: () => now + lead })).toEqual(expected)
  })

  it('follows toleranceSeconds, before and after', async () => {
    for (const lead of [-5, 5]) {
      expect(await outcome({ now: now + lead, toleranceSeconds: 5 })).toEqual(accepted)
      expect(await outcome({ now: now + lead, toleranceSeconds: 4 })).toBe('timestamp_out_of_tolerance')
    }
  })

  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'a clock that returns %d accepts nothing',
    async (time) => {
      expect(await outcome({ now: time })).toBe('timestamp_out_of_tolerance')
    },
  )

  it.each([
    ['NaN', () => Number.NaN],
    ['a string', () => '1700000000'],
    ['a bigint', () => 1n],
    ['a symbol', () => Symbol('now')],
    ['a promise that rejects', () => Promise.reject(new Error('late'))],
  ])('a clock that returns %s is a mistake of the program', async (_, clock) => {
    expect(await outcome({ now: clock as () => number })).toBe('invalid_option')
  })

  it('a clock that throws is a mistake of the program', async () => {
    const now = () => {
      throw new Error('no clock')
    }
    const verified = verifySignature({ body, header, secret, now })
    await expect(verified).rejects.toThrow('invalid_option: now must be unix seconds, or return them')
  })

  it('a receiver names its clock as the cause of a failure', async () => {
    const broken = new Error('no clock')
    const clocks: [() => number, unknown][] = [
      [
        () => {
          throw broken
        },
        broken,
      ],
      [() => 'noon' as never, new TypeError('now() returned no number')],
    ]
    for (const [now, cause] of clocks) {
      const store = memoryStore()
      const receiver = createReceiver({ secret, now, store, logger: false, fallback: () => {} })
      const headers = { 'content-type': 'application/json', 'service-signature': header }
      const result = await receiver.receive({ headers, body })
      expect(result).toMatchObject({ code: 'handler_failed', detail: 'in now()' })
      expect((result as { cause?: unknown }).cause).toEqual(cause)
    }
  })

  it('may exceed a day only with allowLongTolerance', async () => {
    expect(await outcome({ toleranceSeconds: 86_400 })).toEqual(accepted)
    expect(await outcome({ toleranceSeconds: 300_000 })).toBe('invalid_option')
    expect(await outcome({ toleranceSeconds: 300_000, allowLongTolerance: true })).toEqual(accepted)
    const endless = { toleranceSeconds: Number.POSITIVE_INFINITY, allowLongTolerance: true }
    expect(await outcome(endless)).toBe('invalid_option')
    await expect(verifySignature({ body, header, secret, toleranceSeconds: 300_000 })).rejects.toThrow(
      'toleranceSeconds is 300000 seconds, more than a day; it is in seconds, not milliseconds; if you mean it, set allowLongTolerance: true',
    )
  })

  it('is checked after the signature, so that a forger learns nothing about the clock', async () => {
    expect(await outcome({ now: now + 1e6, header: `t=${now},v1=${'0'.repeat(64)}` })).toBe(
      'signature_mismatch',
    )
  })

  it('does not read the clock for a forgery', async () => {
    let asked = 0
    const clock = () => {
      asked++
      return now
    }
    await outcome({ now: clock, header: `t=${now},v1=${'0'.repeat(64)}` })
    expect(asked).toBe(0)
    await outcome({ now: clock })
    expect(asked).toBe(1)
  })

  it('uses the system clock by default', async () => {
    const fresh = await signPayload({ body, secret })
    expect(await verifySignature({ body, header: fresh, secret })).toMatchObject({ secretIndex: 0 })
    await expect(verifySignature({ body, header, secret })).rejects.toMatchObject({
      code: 'timestamp_out_of_tolerance',
    })
  })

  it('reports to the operator how far off t is, and in which direction', async () => {
    const verify = (at: number) => verifySignature({ body, header, secret, now: at })
    await expect(verify(now + 400)).rejects.toThrow('t is 400 s behind')
    await expect(verify(now - 400)).rejects.toThrow('t is 400 s ahead')
  })

  it('signs leading zeros unchanged', async () => {
    const literal = createHmac('sha256', secret).update(`0017.`).update(body).digest('hex')
    expect(await outcome({ header: `t=0017,v1=${literal}`, now: 17 })).toEqual({
      timestamp: 17,
      secretIndex: 0,
    })
    expect(await outcome({ header: `t=17,v1=${literal}`, now: 17 })).toBe('signature_mismatch')
  })

  it.each(['0', '0000000000'])('counts from the first second of 1970: t=%s', async (t) => {
    const first = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
    expect(await outcome({ header: `t=${t},v1=${first}`, now: 0 })).toEqual({ timestamp: 0, secretIndex: 0 })
  })
})

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

describe('errors', () => {
  it.each<[name: string, input: object, code: string]>([
    ['no header', { header: undefined }, 'missing_signature'],
    ['a null header', { header: null }, 'missing_signature'],
    ['an empty header', { header: '' }, 'missing_signature'],
    ['a repeated header', { header: [header, header] }, 'malformed_signature'],
    ['no t', { header: `v1=${digest}` }, 'malformed_signature'],
    ['a parsed body', { body: { id: 'evt_123' } }, 'body_not_bytes'],
    ['no body', { body: undefined }, 'body_not_bytes'],
    ['a null body', { body: null }, 'body_not_bytes'],
    ['an ArrayBuffer, which is no view', { body: new ArrayBuffer(2) }, 'body_not_bytes'],
    ['a lone surrogate, which is not U+FFFD', { body: '\ud800' }, 'body_not_bytes'],
    ['an empty secret', { secret: '' }, 'invalid_secret'],
    ['no secret', { secret: undefined }, 'invalid_secret'],
    ['an empty list of secrets', { secret: [] }, 'invalid_secret'],
    ['a list with a hole', { secret: [secret, undefined] }, 'invalid_secret'],
    ['a secret pasted with a line feed', { secret: `${secret}\n` }, 'invalid_secret'],
    ['a tolerance of zero', { toleranceSeconds: 0 }, 'invalid_option'],
    ['a tolerance below zero', { toleranceSeconds: -1 }, 'invalid_option'],
    ['a tolerance that is NaN', { toleranceSeconds: Number.NaN }, 'invalid_option'],
    ['a tolerance that is Infinity', { toleranceSeconds: Number.POSITIVE_INFINITY }, 'invalid_option'],
    ['a tolerance in a string', { toleranceSeconds: '300' }, 'invalid_option'],
    ['a scheme with a typo', { scheme: { encodings: 'hex' } }, 'unknown_option'],
  ])('%s: %s', async (_, input, code) => {
    expect(await outcome(input as Partial<VerifyInput>)).toBe(code)
  })

  it('have a class that says who must act, and contain no secret or expected signature', async () => {
    const failure = verifySignature({ body, header: `t=${now},v1=${'0'.repeat(64)}`, secret, now })
    await expect(failure).rejects.toBeInstanceOf(VerificationError)
    const error = await failure.catch((reason: unknown) => reason as VerificationError)
    const everything = `${error}${(error as Error).stack}${JSON.stringify(error)}`
    for (const leak of [secret, digest, 'evt_123']) {
      expect(everything).not.toContain(leak)
    }
    expect(error).toMatchObject({ name: 'VerificationError', code: 'signature_mismatch' })
    expect((error as Error).message).toContain('mount the receiver before any body parser')
  })

  it('say what is wrong', async () => {
    const verify = (input: object) => verifySignature({ body, header, secret, now, ...input })
    await expect(verify({ body: '\ud800' })).rejects.toThrow('lone surrogates; pass the raw bytes')
    await expect(verify({ toleranceSeconds: 0 })).rejects.toThrow(
      'toleranceSeconds must be a positive number',
    )
    await expect(verify({ scheme: { content: 'id.timestamp.body' } })).rejects.toThrow(
      'the signed event id is missing',
    )
  })

  it('distinguish a parsed body from a missing one', async () => {
    await expect(verifySignature({ body: {} as never, header, secret })).rejects.toThrow('the body is object')
    await expect(verifySignature({ body: null as never, header, secret })).rejects.toThrow('the body is null')
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
