import { invalidOption } from '../errors.js'
import { type Filled, givenOptions } from '../given-options.js'
import { fromBase64, fromBase64url, toBase64, toBase64url } from './crypto/base64.js'
import { fromHex, toHex } from './crypto/hex.js'

/**
 * Which bytes are signed, and how the key and the signature are encoded. The scheme is fixed when the receiver is built.
 * It is never guessed from a delivery.
 */
export interface SignatureScheme {
  /**
   * What the HMAC covers: these parts, joined by `.`. `timestamp` is the characters of `t` in the header, and `id` is
   * the Service-Event-Id header. With `'body'` the timestamp is not signed, so it proves nothing.
   * Default `'timestamp.body'`.
   */
  readonly content?: 'timestamp.body' | 'id.timestamp.body' | 'body' | undefined
  /** How the 32 bytes of a signature are encoded in `v1`. Hex is read in either case. Default `'hex'`. */
  readonly encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** How the secret string encodes the bytes of the key. Default `'utf8'`. */
  readonly key?: 'utf8' | 'base64' | 'hex' | undefined
  /** A prefix to remove from the secret before it is decoded, such as `'whsec_'`. Default: none. */
  readonly keyPrefix?: string | undefined
}

export type ResolvedScheme = Filled<SignatureScheme>

/** The values of each option. The first is the default. A prefix can be any text. */
const choices: Readonly<Record<keyof SignatureScheme, readonly string[]>> = {
  content: ['timestamp.body', 'id.timestamp.body', 'body'],
  encoding: ['hex', 'base64', 'base64url'],
  key: ['utf8', 'base64', 'hex'],
  keyPrefix: [''],
}

/** Fills in the defaults. Throws `ConfigurationError` `unknown_option` or `invalid_option`. */
export function resolveScheme(scheme: SignatureScheme = {}): ResolvedScheme {
  const given = givenOptions('scheme', scheme, Object.keys(choices))
  for (const [name, values] of Object.entries(choices)) {
    const value = name in given ? given[name] : values[0]
    const isText = values.length === 1
    if (isText ? typeof value !== 'string' : !values.includes(value as string)) {
      throw invalidOption(`scheme.${name} must be ${isText ? 'a string' : `one of ${values.join(', ')}`}`)
    }
    given[name] = value
  }
  return given as unknown as ResolvedScheme
}

/**
 * The signed content before the body. `undefined` if the scheme signs the event id and the id is missing or contains a
 * dot. If dots were allowed, two deliveries could sign the same bytes: `a.1` with `t=2`, and `a` with `t=1` and a body
 * that starts with `2.`.
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
      return typeof id === 'string' && visible.test(id) ? `${id}.${timestamp}.` : undefined
    case 'body':
      return ''
  }
}

/** Visible ASCII without the dot. */
const visible = /^[!-\-/-~]+$/

const utf8 = new TextEncoder()

/** Decode a secret or a signature to bytes. `undefined` if the text is not in the encoding. */
export const decoders = {
  utf8: (text: string): Uint8Array => utf8.encode(text),
  hex: fromHex,
  base64: fromBase64,
  base64url: fromBase64url,
}

/** Encodes a digest of 64 hex digits for the header. */
export function encodeSignature({ encoding }: ResolvedScheme, digest: string): string {
  if (encoding === 'hex') {
    return digest
  }
  const write = encoding === 'base64' ? toBase64 : toBase64url
  return write(fromHex(digest) as Uint8Array)
}

/**
 * Decodes a signature of the header to lower-case hex, to compare it with a digest. For an invalid signature it returns
 * a string that equals no digest.
 */
export function decodeSignature({ encoding }: ResolvedScheme, text: string): string {
  // Lower-casing changes no other character to a hex digit, so hex needs no decoding.
  return encoding === 'hex' ? text.toLowerCase() : toHex(decoders[encoding](text) ?? [])
}
