import { type BinaryToTextEncoding, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, VerificationError } from '../../src/errors.js'
import { decodeSignature, resolveScheme, type SignatureScheme } from '../../src/signature/scheme.js'
import { signPayload } from '../../src/signature/sign.js'
import { verifySignature } from '../../src/signature/verify-signature.js'

const timestamp = 1_700_000_000
const body = Buffer.from('{"a":"b"}')
const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
const id = 'evt_1'

const contents = ['timestamp.body', 'id.timestamp.body', 'body'] as const
const encodings = ['hex', 'base64', 'base64url'] as const
const keys = ['utf8', 'base64', 'hex'] as const

const written = { utf8: 'plain text', base64: key.toString('base64'), hex: key.toString('hex') }
const keyBytes = { utf8: Buffer.from('plain text'), base64: key, hex: key }

const profiles = contents.flatMap((content) =>
  encodings.flatMap((encoding) => keys.map((form) => ({ content, encoding, key: form }))),
)
const nameOf = (scheme: SignatureScheme) => `${scheme.content}, ${scheme.encoding}, ${scheme.key}`

/** The signature by definition, computed with node:crypto only. */
function reference({ content, encoding, key: form }: (typeof profiles)[number]): string {
  const head = { 'timestamp.body': `${timestamp}.`, 'id.timestamp.body': `${id}.${timestamp}.`, body: '' }[
    content
  ]
  const hmac = createHmac('sha256', keyBytes[form]).update(Buffer.concat([Buffer.from(head), body]))
  return `t=${timestamp},v1=${hmac.digest(encoding)}`
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof VerificationError || error instanceof ConfigurationError) {
        return error.code
      }
      throw error
    },
  )

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

describe('a prefix of the key', () => {
  const standard = {
    key: 'base64',
    keyPrefix: 'whsec_',
    encoding: 'base64',
    content: 'id.timestamp.body',
  } as const
  const header = reference({ content: 'id.timestamp.body', encoding: 'base64', key: 'base64' })
  const check = (secret: string, scheme: SignatureScheme) =>
    codeOf(verifySignature({ body, header, secret, now: timestamp, scheme, id }))

  it('is removed before the secret is decoded, and may be missing', async () => {
    expect(await check(`whsec_${written.base64}`, standard)).toBe('accepted')
    expect(await check(written.base64, standard)).toBe('accepted')
  })

  it('is removed once', async () => {
    expect(await check(`whsec_whsec_${written.base64}`, standard)).toBe('invalid_secret')
  })

  it('is part of the key unless the scheme names it', async () => {
    const plain = { ...standard, key: 'utf8', keyPrefix: '' } as const
    const keyed = createHmac('sha256', 'whsec_a').update(`${id}.${timestamp}.`).update(body).digest('base64')
    const verify = (secret: string, scheme: SignatureScheme) =>
      codeOf(
        verifySignature({ body, header: `t=${timestamp},v1=${keyed}`, secret, now: timestamp, scheme, id }),
      )
    expect(await verify('whsec_a', plain)).toBe('accepted')
    expect(await verify('whsec_a', { ...plain, keyPrefix: 'whsec_' })).toBe('signature_mismatch')
    expect(await verify('whsec_whsec_a', { ...plain, keyPrefix: 'whsec_' })).toBe('accepted')
  })

  it('may not be the whole secret', async () => {
    expect(await check('whsec_', standard)).toBe('invalid_secret')
    expect(await check('whsec_', { ...standard, key: 'utf8' })).toBe('invalid_secret')
  })
})

describe('the boundary between id, timestamp and body', () => {
  const scheme = { content: 'id.timestamp.body' } as const
  const secret = 'x'
  const hmac = (content: string) => createHmac('sha256', secret).update(content).digest('hex')
  const check = (id: string | undefined, t: string, text: string, signature: string) =>
    codeOf(
      verifySignature({
        body: text,
        header: `t=${t},v1=${signature}`,
        secret,
        scheme,
        now: Number(t),
        ...(id !== undefined && { id }),
      }),
    )

  it('is unambiguous: an id with a dot is rejected, because the bytes could be split differently', async () => {
    const signature = hmac('a.1.2.body')
    expect(await check('a', '1', '2.body', signature)).toBe('accepted')
    expect(await check('a.1', '2', 'body', signature)).toBe('malformed_signature')
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a dot', '.'],
    ['a space', 'a b'],
    ['a control', 'a\n'],
    ['DEL', 'a\x7f'],
    ['beyond ASCII', 'é'],
  ])('rejects an id that is %s', async (_, id) => {
    expect(await check(id, '1', 'body', hmac(`${id}.1.body`))).toBe('malformed_signature')
    const sign = signPayload({ body, secret, scheme, timestamp, ...(id !== undefined && { id }) })
    expect(await codeOf(sign)).toBe('invalid_option')
  })

  it.each(['evt_1', '!', '~', '-', '/', 'a,b', 'x'.repeat(300)])('takes the id %j', async (id) => {
    expect(await check(id, '1', 'body', hmac(`${id}.1.body`))).toBe('accepted')
  })

  it('needs no check of t, which has only digits', async () => {
    const signature = createHmac('sha256', secret).update('1.2.body').digest('hex')
    const input = { secret, now: 1 }
    expect(await codeOf(verifySignature({ ...input, body: '2.body', header: `t=1,v1=${signature}` }))).toBe(
      'accepted',
    )
    expect(await codeOf(verifySignature({ ...input, body: 'body', header: `t=1.2,v1=${signature}` }))).toBe(
      'malformed_signature',
    )
  })

  it('ignores the id if the scheme does not sign it', async () => {
    const header = await signPayload({ body, secret, timestamp, id: 'a' })
    expect(await codeOf(verifySignature({ body, header, secret, now: timestamp, id: 'b' }))).toBe('accepted')
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
