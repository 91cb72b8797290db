import { fromBase64, fromBase64url, toBase64, toBase64url } from '../crypto/base64.js'
import { fromHex, toHex } from '../crypto/hex.js'
import { ConfigurationError } from '../errors.js'

/**
 * Which bytes are signed, and how key and signature are written. The sender's interface publishes neither, so both
 * are fixed here when the receiver is built and never guessed from a delivery.
 */
export interface SignatureScheme {
  /**
   * What the HMAC covers: the parts joined by `.`, `timestamp` being the literal characters of `t` in the header
   * and `id` the Service-Event-Id header. With `'body'` the timestamp is not signed and proves nothing.
   * Default `'timestamp.body'`.
   */
  readonly content?: 'timestamp.body' | 'id.timestamp.body' | 'body'
  /** How the 32 bytes of a signature are written in `v1`. Default `'hex'`; read in either case. */
  readonly encoding?: 'hex' | 'base64' | 'base64url'
  /** How the secret string stands for the key’s bytes. Default `'utf8'`: its UTF-8 bytes, as given. */
  readonly key?: 'utf8' | 'base64' | 'hex'
  /** A prefix to take off the secret before it is decoded, such as `'whsec_'`. Default: none. */
  readonly keyPrefix?: string
}

export type ResolvedScheme = Required<SignatureScheme>

const allowed = {
  content: ['timestamp.body', 'id.timestamp.body', 'body'],
  encoding: ['hex', 'base64', 'base64url'],
  key: ['utf8', 'base64', 'hex'],
} as const

/** Fills in the defaults. Throws `ConfigurationError` `unknown_option` or `invalid_option`. */
export function resolveScheme(scheme: SignatureScheme = {}): ResolvedScheme {
  if (typeof scheme !== 'object' || scheme === null || Array.isArray(scheme)) {
    throw new ConfigurationError('invalid_option', 'scheme must be an object')
  }
  const given = Object.entries(scheme).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    if (name === 'keyPrefix') {
      if (typeof value !== 'string')
        throw new ConfigurationError('invalid_option', 'scheme.keyPrefix must be a string')
      continue
    }
    const values: readonly string[] | undefined = Object.hasOwn(allowed, name)
      ? allowed[name as keyof typeof allowed]
      : undefined
    if (!values) throw new ConfigurationError('unknown_option', `scheme.${name} is not an option`)
    if (!values.includes(value)) {
      throw new ConfigurationError('invalid_option', `scheme.${name} must be one of ${values.join(', ')}`)
    }
  }
  return {
    content: 'timestamp.body',
    encoding: 'hex',
    key: 'utf8',
    keyPrefix: '',
    ...Object.fromEntries(given),
  }
}

/**
 * What stands before the body in the signed content. `undefined` where the scheme signs the event id and there is
 * none, or one with a dot: `a.1` + `2` + body and `a` + `1` + `2.`body would be the same bytes.
 */
export function signedHead(
  scheme: ResolvedScheme,
  timestamp: string,
  id: string | undefined,
): string | undefined {
  switch (scheme.content) {
    case 'timestamp.body':
      return `${timestamp}.`
    case 'id.timestamp.body':
      return id && visible.test(id) ? `${id}.${timestamp}.` : undefined
    case 'body':
      return ''
  }
}

/** Visible ASCII without the dot. */
const visible = /^[!-\-/-~]+$/

/** How 64 lower-case hex digits, our form of a digest, are written and read in each encoding. */
const codecs = {
  hex: {
    write: (digest: string) => digest,
    read: (text: string) => (hexDigest.test(text) ? text.toLowerCase() : undefined),
  },
  base64: {
    write: (digest: string) => toBase64(bytesOf(digest)),
    read: (text: string) => digestOf(fromBase64(text)),
  },
  base64url: {
    write: (digest: string) => toBase64url(bytesOf(digest)),
    read: (text: string) => digestOf(fromBase64url(text)),
  },
}

// Stryker disable next-line Regex: longer text does not come this far
const hexDigest = /^[0-9a-fA-F]{64}$/
const bytesOf = (digest: string) => fromHex(digest) as Uint8Array
const digestOf = (bytes: Uint8Array | undefined) => (bytes?.length === 32 ? toHex(bytes) : undefined)

/** A digest, given as 64 hex digits, as it is written in the header. */
export function encodeSignature(scheme: ResolvedScheme, digest: string): string {
  return codecs[scheme.encoding].write(digest)
}

/** The 64 lower-case hex digits of a signature as written in the header; `undefined` where it cannot be one. */
export function decodeSignature(scheme: ResolvedScheme, text: string): string | undefined {
  // Stryker disable next-line ConditionalExpression: it only spares the decoding of what is too long to be one
  return text.length <= 64 ? codecs[scheme.encoding].read(text) : undefined
}
