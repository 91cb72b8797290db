import { givenOptions, invalidOption } from '../options/checks.js'
import { fromBase64, fromBase64url, toBase64, toBase64url } from './crypto/base64.js'
import { fromHex, toHex } from './crypto/hex.js'

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

/** What each option may be, its default first; a prefix may be any text. */
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

const utf8 = new TextEncoder()

/** How text stands for bytes, in a secret or in a signature; `undefined` where it cannot. */
export const decoders = {
  utf8: (text: string): Uint8Array => utf8.encode(text),
  hex: fromHex,
  base64: fromBase64,
  base64url: fromBase64url,
}

/** A digest, given as 64 hex digits, as it is written in the header. */
export function encodeSignature({ encoding }: ResolvedScheme, digest: string): string {
  if (encoding === 'hex') return digest
  const write = encoding === 'base64' ? toBase64 : toBase64url
  return write(fromHex(digest) as Uint8Array)
}

/**
 * What a signature of the header has in place of a digest, to be compared with one: it is of another length, or of
 * other characters than 64 lower-case hex digits, where it cannot be one.
 */
export function decodeSignature({ encoding }: ResolvedScheme, text: string): string {
  // Only the digits of hex are digits of hex in lower case, so that a pattern would tell nothing more (75 ns).
  // Stryker disable next-line ConditionalExpression,StringLiteral,ArrayDeclaration: the long way says the same
  return encoding === 'hex' ? text.toLowerCase() : toHex(decoders[encoding](text) ?? [])
}
