import { type BinaryToTextEncoding, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeSignature, resolveScheme, type SignatureScheme } from '../../src/signature/scheme.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { body, codeOf, timestamp } from './scheme-reference.js'

describe('the encodings of a signature', () => {
  const secret = 'x'
  const sign = (bytes: BinaryToTextEncoding, form = (text: string) => text) =>
    `t=${timestamp},v1=${form(createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest(bytes))}`
  const check = (encoding: SignatureScheme['encoding'] & string, header: string) =>
    codeOf(verifySignature({ body, header, secret, now: timestamp, scheme: { encoding } }))

  it('base64 with and without padding', async () => {
    expect(await check('base64', sign('base64'))).toBe('accepted')
    expect(
      await check(
        'base64',
        sign('base64', (text) => text.replaceAll('=', '')),
      ),
    ).toBe('accepted')
    expect(
      await check(
        'base64',
        sign('base64', (text) => `${text}=`),
      ),
    ).toBe('signature_mismatch')
    expect(
      await check(
        'base64',
        sign('base64', (text) => `A${text}`),
      ),
    ).toBe('signature_mismatch')
    expect(
      await check(
        'base64',
        sign('base64', (text) => text.slice(0, -4)),
      ),
    ).toBe('signature_mismatch')
  })

  it('base64url with and without padding', async () => {
    expect(await check('base64url', sign('base64url'))).toBe('accepted')
    expect(
      await check(
        'base64url',
        sign('base64url', (text) => `${text}=`),
      ),
    ).toBe('accepted')
    expect(
      await check(
        'base64url',
        sign('base64url', (text) => `${text}==`),
      ),
    ).toBe('signature_mismatch')
  })

  it('hex is never read as base64, and base64 never as hex', async () => {
    expect(await check('base64', sign('hex'))).toBe('signature_mismatch')
    expect(await check('hex', sign('base64'))).toBe('signature_mismatch')
  })
})

describe('decodeSignature', () => {
  it.each(['hex', 'base64', 'base64url'] as const)('decodes %s to hex digits', (encoding) => {
    const decode = (text: string) => decodeSignature(resolveScheme({ encoding }), text)
    for (const length of [0, 1, 31, 32, 33, 64]) {
      expect(decode(Buffer.alloc(length, 0xa7).toString(encoding))).toBe('a7'.repeat(length))
    }
    expect(decode('*')).not.toMatch(/^[0-9a-f]+$/)
  })
})
