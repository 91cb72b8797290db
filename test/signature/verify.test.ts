import { describe, expect, it } from 'vitest'
import { VerificationError } from '../../src/errors.js'
import { type VerifyInput, verifySignature } from '../../src/signature/verify-signature.js'
import { accepted, body, digest, header, now, outcome, secret } from './vector.js'

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
    ['an option with a typo', { tolerance: 10 }, 'unknown_option'],
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
