import { equal, type HmacKey, hmac, isSignedInPlace } from '#crypto'
import { ConfigurationError, Rejection, type VerificationCode, VerificationError } from '../errors.js'
import { invalidOption } from '../options/checks.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'
import { parseSignatureHeader, type SignatureHeader, usualTimestamp } from './header.js'
import { profileOf } from './profile.js'
import { decoders, decodeSignature, type ResolvedScheme, type SignatureScheme, signedHead } from './scheme.js'
import type { Secrets } from './secrets.js'

export const defaultToleranceSeconds = 300

export interface VerifyInput {
  /** The bytes exactly as they arrived. A string stands for its UTF-8 bytes; never pass re-serialized JSON. */
  readonly body: Uint8Array | string
  /** The value of Service-Signature; an array of more than one value is refused. */
  readonly header: string | readonly string[] | null | undefined
  readonly secret: Secrets
  /** How far `t` may lie from `now`, before or after, inclusive, in seconds. Default 300. */
  readonly toleranceSeconds?: number
  /** The time in unix seconds, or a clock that tells it. Default: the system clock. */
  readonly now?: number | (() => number)
  readonly scheme?: SignatureScheme
  /** The value of Service-Event-Id; needed only where the scheme signs it. */
  readonly id?: string
}

export interface Verified {
  /** The signed `t`, in unix seconds. */
  readonly timestamp: number
  /** Which secret matched, counted from 0: tells when an old one can be retired. */
  readonly secretIndex: number
}

/**
 * Proves that `body` was signed with one of the secrets, and recently (service interface, Webhook signatures, 1-3).
 *
 * Rejects with `VerificationError` (`missing_signature`, `malformed_signature`, `signature_mismatch`,
 * `timestamp_out_of_tolerance`) for anything a header or a body can be, and with `ConfigurationError` where the
 * program itself is wrong (`invalid_secret`, `invalid_option`, `body_not_bytes`).
 */
export async function verifySignature(input: VerifyInput): Promise<Verified> {
  const { scheme, keysOf } = profileOf(input.scheme)
  const { now = systemClock } = input
  const checked = checkSignature({
    body: toBytes(input.body),
    header: input.header,
    keys: keysOf(input.secret),
    toleranceSeconds: checkTolerance(input.toleranceSeconds ?? defaultToleranceSeconds),
    now: typeof now === 'function' ? now : () => now,
    scheme,
    id: input.id,
  })
  // No `await`: the machinery for one costs 40 ns even where it is not reached.
  return isPending(checked) ? checked.then(orThrow) : orThrow(checked)
}

function orThrow(checked: Checked): Verified {
  if (checked instanceof Rejection) throw new VerificationError(checked.code, checked.detail)
  return checked
}

export interface SignatureCheck {
  readonly body: Uint8Array
  readonly header: unknown
  readonly keys: readonly HmacKey[]
  readonly toleranceSeconds: number
  readonly now: () => number
  readonly scheme: ResolvedScheme
  readonly id: string | undefined
}

/** {@link verifySignature} with everything prepared, and with a refusal as a value; at once where the HMAC is. */
export function checkSignature(check: SignatureCheck): Awaitable<Checked> {
  const { keys, scheme } = check
  const usual = checkInPlace(check)
  if (usual) return usual

  const header = parseSignatureHeader(check.header)
  if (header instanceof Rejection) return header
  const head = signedHead(scheme, header.timestampText, check.id)
  if (head === undefined)
    return new Rejection('malformed_signature', 'the signed event id is missing or unusable')

  const expected = keys.map((key) => hmac(key, head, check.body))
  // Every HMAC of a build is ready at once, or none is.
  return expected[0] instanceof Promise
    ? Promise.all(expected).then((digests) => judge(digests, header, check))
    : judge(expected as string[], header, check)
}

type Checked = Verified | Rejection<VerificationCode>

/** What {@link checkSignature} says of nearly every delivery, sooner; `undefined` for any other. */
function checkInPlace(check: SignatureCheck): Checked | undefined {
  const { body, header, keys, scheme } = check
  if (keys.length !== 1 || scheme.content !== 'timestamp.body' || scheme.encoding !== 'hex') return undefined
  const timestamp = typeof header === 'string' ? usualTimestamp(header) : Number.NaN
  if (Number.isNaN(timestamp)) return undefined
  const isSigned = isSignedInPlace?.(keys[0] as HmacKey, header as string, body)
  return isSigned === undefined ? undefined : inTime(timestamp, isSigned ? 0 : -1, check)
}

function judge(expected: readonly string[], header: SignatureHeader, check: SignatureCheck): Checked {
  return inTime(header.timestamp, matchingSecret(expected, header, check.scheme), check)
}

function inTime(timestamp: number, secretIndex: number, check: SignatureCheck): Checked {
  if (secretIndex < 0) return new Rejection('signature_mismatch')

  // Freshness comes last, so that a forger learns nothing about this clock; a clock that tells NaN lets nothing in.
  const age = check.now() - timestamp
  if (!(Math.abs(age) <= check.toleranceSeconds)) {
    return new Rejection(
      'timestamp_out_of_tolerance',
      // Stryker disable next-line EqualityOperator: an age of 0 is within any tolerance
      `t is ${Math.abs(age)} s ${age < 0 ? 'ahead' : 'behind'}`,
    )
  }
  return { timestamp, secretIndex }
}

/** The first secret that made one of the signatures, or -1. Every pair is compared, matched or not. */
function matchingSecret(
  expected: readonly string[],
  { signatures }: SignatureHeader,
  scheme: ResolvedScheme,
): number {
  let match = -1
  for (let i = expected.length - 1; i >= 0; i--) {
    for (const signature of signatures) {
      if (equal(decodeSignature(scheme, signature), expected[i] as string)) match = i
    }
  }
  return match
}

export const systemClock = (): number => Math.floor(Date.now() / 1000)

/** Bytes, or a string that UTF-8 can express without loss. */
export function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  const isText = typeof body === 'string'
  // A lone surrogate would be encoded as U+FFFD: other text, the same bytes.
  if (isText && body.isWellFormed()) return decoders.utf8(body)
  throw new ConfigurationError(
    'body_not_bytes',
    isText
      ? 'the body is a string with lone surrogates; pass the raw bytes'
      : `the body is ${body === null ? body : typeof body}, not bytes; it was probably parsed already: pass the raw body`,
  )
}

export function checkTolerance(seconds: unknown): number {
  if (typeof seconds === 'number' && seconds > 0 && seconds < Number.POSITIVE_INFINITY) return seconds
  throw invalidOption('toleranceSeconds must be a positive number of seconds')
}
