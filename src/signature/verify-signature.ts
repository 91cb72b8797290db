import { equal, type HmacKey, hmac } from '#crypto'
import { catchLater } from '../catch-later.js'
import {
  ConfigurationError,
  invalidOption,
  Rejection,
  type VerificationCode,
  VerificationError,
} from '../errors.js'
import { checkNames, requireObject } from '../given-options.js'
import { parseSignatureHeader, type SignatureHeader } from './header.js'
import { profileOf } from './profile.js'
import { decoders, decodeSignature, type ResolvedScheme, type SignatureScheme, signedHead } from './scheme.js'
import type { Secrets } from './secrets.js'

export const defaultToleranceSeconds = 300

export interface VerifyInput {
  /**
   * The bytes exactly as they arrived. A string is encoded as UTF-8. Never pass JSON that was parsed and serialized
   * again.
   */
  readonly body: Uint8Array | string
  /** The value of Service-Signature; an array of more than one value is rejected. */
  readonly header: string | readonly string[] | null | undefined
  readonly secret: Secrets
  /** The maximum difference between `t` and `now`, in both directions, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** Allows a tolerance of more than a day. Default false. */
  readonly allowLongTolerance?: boolean | undefined
  /** The time in unix seconds, or a function that returns it. Default: the system clock. */
  readonly now?: number | (() => number) | undefined
  readonly scheme?: SignatureScheme | undefined
  /** The value of Service-Event-Id; needed only if the scheme signs it. */
  readonly id?: string | undefined
}

const inputNames: ReadonlySet<string> = new Set<keyof VerifyInput>([
  'body',
  'header',
  'secret',
  'toleranceSeconds',
  'allowLongTolerance',
  'now',
  'scheme',
  'id',
])

export interface Verified {
  /** The signed `t`, in unix seconds. */
  readonly timestamp: number
  /** The index of the secret that matched, from 0. It shows when an old secret is no longer used. */
  readonly secretIndex: number
}

/**
 * Verifies that `body` was signed with one of the secrets, and that the signature is recent (service interface, Webhook
 * signatures, 1-3).
 *
 * Rejects with `VerificationError` (`missing_signature`, `malformed_signature`, `signature_mismatch`,
 * `timestamp_out_of_tolerance`) for any invalid header or body. Rejects with `ConfigurationError` for a programming
 * error (`invalid_secret`, `invalid_option`, `unknown_option`, `body_not_bytes`).
 *
 * @example
 * await verifySignature({ body, header, secret })
 */
export async function verifySignature(input: VerifyInput): Promise<Verified> {
  requireObject('the input', input)
  checkNames('verifySignature', input, inputNames)
  const { scheme, keysOf } = profileOf(input.scheme)
  const { now = systemClock } = input
  const toleranceSeconds = checkTolerance(
    input.toleranceSeconds ?? defaultToleranceSeconds,
    input.allowLongTolerance,
  )
  const body = toBytes(input.body)
  const keys = keysOf(input.secret)
  const signature = parseSignatureHeader(input.header)
  const checked =
    signature instanceof Rejection
      ? signature
      : checkSignature({
          body,
          signature,
          keys,
          toleranceSeconds,
          now: typeof now === 'function' ? now : () => now,
          scheme,
          id: input.id,
        })
  const verified = checked instanceof Promise ? await checked : checked
  if (!(verified instanceof Rejection)) {
    return verified
  }
  if (verified.code === 'handler_failed') {
    throw invalidOption('now must be unix seconds, or return them')
  }
  throw new VerificationError(verified.code, verified.detail)
}

export interface SignatureCheck {
  readonly body: Uint8Array
  readonly signature: SignatureHeader
  readonly keys: readonly HmacKey[]
  readonly toleranceSeconds: number
  /** The user's clock, which may return anything or throw. */
  readonly now: () => unknown
  readonly scheme: ResolvedScheme
  readonly id: string | undefined
}

type Checked = Verified | Rejection<VerificationCode | 'handler_failed'>

/**
 * Compares every signature of the header with the HMAC of every key, then checks the timestamp. Returns a `Rejection`
 * on failure: `handler_failed` if the user's clock fails. Returns a promise if the HMAC is asynchronous, as in
 * WebCrypto.
 */
export function checkSignature(check: SignatureCheck): Checked | Promise<Checked> {
  const { body, signature, keys, scheme } = check
  const head = signedHead(scheme, signature.timestampText, check.id)
  if (head === undefined) {
    return new Rejection('malformed_signature', 'the signed event id is missing or unusable')
  }
  const digests = keys.map((key) => hmac(key, head, body))
  return digests.every((digest) => typeof digest === 'string')
    ? judge(check, digests)
    : Promise.all(digests).then((all) => judge(check, all))
}

function judge(check: SignatureCheck, digests: readonly string[]): Checked {
  const { scheme, signature } = check
  let secretIndex = -1
  // No early exit: the duration must not reveal which secret and which signature match. The first match counts.
  for (let i = digests.length - 1; i >= 0; i--) {
    for (const text of signature.signatures) {
      if (equal(decodeSignature(scheme, text), digests[i] as string)) {
        secretIndex = i
      }
    }
  }
  if (secretIndex < 0) {
    return new Rejection('signature_mismatch')
  }
  return checkAge(check) ?? { timestamp: signature.timestamp, secretIndex }
}

/** The timestamp is checked after the signature, so that a forger learns nothing about this clock. */
function checkAge({
  signature,
  now,
  toleranceSeconds,
}: SignatureCheck): Rejection<'timestamp_out_of_tolerance' | 'handler_failed'> | undefined {
  let time: unknown
  try {
    time = now()
  } catch (error) {
    return new Rejection('handler_failed', 'in now()', error)
  }
  if (typeof time !== 'number' || Number.isNaN(time)) {
    catchLater(time)
    return new Rejection('handler_failed', 'in now()', new TypeError('now() returned no number'))
  }
  const age = time - signature.timestamp
  if (Math.abs(age) <= toleranceSeconds) {
    return undefined
  }
  // Rounded up, because 300.4 s would look like an age within a tolerance of 300 s.
  const difference = `t is ${Math.ceil(Math.abs(age))} s ${age < 0 ? 'ahead' : 'behind'}`
  const unit = isMilliseconds(time) ? '; now() returned milliseconds, and must return seconds' : ''
  return new Rejection('timestamp_out_of_tolerance', `${difference}${unit}`)
}

/** Whether a clock has the wrong unit: as seconds this is later than the year 5000. */
export const isMilliseconds = (time: unknown): boolean => typeof time === 'number' && time > 1e11

export const systemClock = (): number => Math.floor(Date.now() / 1000)

/** Bytes, or a string that UTF-8 can express without loss. */
export function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) {
    return body
  }
  const isText = typeof body === 'string'
  // UTF-8 encodes a lone surrogate as U+FFFD, so different texts would have the same bytes.
  if (isText && body.isWellFormed()) {
    return decoders.utf8(body)
  }
  throw new ConfigurationError(
    'body_not_bytes',
    isText
      ? 'the body is a string with lone surrogates; pass the raw bytes'
      : `the body is ${body === null ? body : typeof body}, not bytes; it was probably parsed already: pass the raw body`,
  )
}

/** Throws `ConfigurationError` `invalid_option`. More than a day is usually milliseconds by mistake. */
export function checkTolerance(seconds: unknown, allowLong = false): number {
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds === Number.POSITIVE_INFINITY) {
    throw invalidOption('toleranceSeconds must be a positive number of seconds')
  }
  if (seconds > day && !allowLong) {
    throw invalidOption(
      `toleranceSeconds is ${seconds} seconds, more than a day; it is in seconds, not milliseconds; if you mean it, set allowLongTolerance: true`,
    )
  }
  return seconds
}

const day = 86_400
