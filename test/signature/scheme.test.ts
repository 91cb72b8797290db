import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { resolveScheme, type SignatureScheme } from '../../src/signature/scheme.js'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'
import { body, codeOf, id, profiles, reference, timestamp, written } from './scheme-reference.js'

const nameOf = (scheme: SignatureScheme) => `${scheme.content}, ${scheme.encoding}, ${scheme.key}`

describe.each(profiles.map((scheme) => [nameOf(scheme), scheme] as const))('%s', (_, scheme) => {
  const secret = written[scheme.key]

  it('signs as defined', async () => {
    expect(await signPayload({ body, secret, timestamp, scheme, id })).toBe(reference(scheme))
  })

  it('verifies its own signature', async () => {
    const verified = await verifySignature({
      body,
      header: reference(scheme),
      secret,
      now: timestamp,
      scheme,
      id,
    })
    expect(verified).toEqual({ timestamp, secretIndex: 0 })
  })

  it('rejects another body', async () => {
    const input = { header: reference(scheme), secret, now: timestamp, scheme, id }
    expect(await codeOf(verifySignature({ body: Buffer.from('{"a":"c"}'), ...input }))).toBe(
      'signature_mismatch',
    )
  })

  it('rejects the signature of every other content and encoding', async () => {
    const others = profiles.filter(
      (other) =>
        other.key === scheme.key && (other.content !== scheme.content || other.encoding !== scheme.encoding),
    )
    for (const other of others) {
      const header = reference(other)
      // base64 and base64url are the same text without +, / and padding.
      const isSameText = other.content === scheme.content && header === reference(scheme)
      const code = await codeOf(verifySignature({ body, header, secret, now: timestamp, scheme, id }))
      expect(code, nameOf(other)).toBe(isSameText ? 'accepted' : expectedCode(scheme, other))
    }
  })
})

/** Padding is optional, so text without +, /, - and _ is valid base64 and base64url. */
function expectedCode(scheme: (typeof profiles)[number], other: (typeof profiles)[number]): string {
  const signature = reference(other).split('v1=')[1] as string
  const isNeutral = !/[+/_-]/.test(signature) && scheme.encoding !== 'hex' && other.encoding !== 'hex'
  return scheme.content === other.content && isNeutral ? 'accepted' : 'signature_mismatch'
}

describe('resolveScheme', () => {
  it('fills in the default', () => {
    const standard = { content: 'timestamp.body', encoding: 'hex', key: 'utf8', keyPrefix: '' }
    expect(resolveScheme()).toEqual(standard)
    expect(resolveScheme({})).toEqual(standard)
    expect(resolveScheme({ encoding: undefined, keyPrefix: undefined } as object)).toEqual(standard)
    expect(resolveScheme({ key: 'hex', keyPrefix: 'k_' })).toEqual({
      ...standard,
      key: 'hex',
      keyPrefix: 'k_',
    })
  })

  it.each<[string, unknown, string, string]>([
    ['an unknown name', { contents: 'body' }, 'unknown_option', 'contents is not an option of scheme'],
    [
      'a name of every object',
      { constructor: 'body' },
      'unknown_option',
      'constructor is not an option of scheme',
    ],
    [
      'an unknown content',
      { content: 'body.timestamp' },
      'invalid_option',
      'timestamp.body, id.timestamp.body, body',
    ],
    ['an unknown encoding', { encoding: 'HEX' }, 'invalid_option', 'hex, base64, base64url'],
    ['an unknown key', { key: 'latin1' }, 'invalid_option', 'utf8, base64, hex'],
    ['a prefix that is no string', { keyPrefix: 1 }, 'invalid_option', 'scheme.keyPrefix must be a string'],
    ['null', null, 'invalid_option', 'the options of scheme must be an object'],
    ['a word', 'hex', 'invalid_option', 'the options of scheme must be an object'],
    ['a list', [], 'invalid_option', 'the options of scheme must be an object'],
  ])('rejects %s', (_, scheme, code, text) => {
    const attempt = () => resolveScheme(scheme as SignatureScheme)
    expect(attempt).toThrow(ConfigurationError)
    expect(attempt).toThrow(new RegExp(`^${code}: .*${text}`))
  })
})
