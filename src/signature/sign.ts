import { type HmacKey, hmac } from '#crypto'
import { invalidOption } from '../errors.js'
import { checkNames, requireObject } from '../given-options.js'
import { profileOf } from './profile.js'
import { encodeSignature, type SignatureScheme, signedHead } from './scheme.js'
import type { Secrets } from './secrets.js'
import { systemClock, toBytes } from './verify-signature.js'

export interface SignInput {
  /** The bytes to sign. A string is encoded as UTF-8. */
  readonly body: Uint8Array | string
  /** One secret, or several during a rotation. The header has one `v1` for each. */
  readonly secret: Secrets
  /** `t`, in whole unix seconds. Default: the system clock. */
  readonly timestamp?: number | undefined
  readonly scheme?: SignatureScheme | undefined
  /** The event id. Required if the scheme signs it. */
  readonly id?: string | undefined
}

const inputNames: ReadonlySet<string> = new Set<keyof SignInput>([
  'body',
  'secret',
  'timestamp',
  'scheme',
  'id',
])

/**
 * Returns the value of the Service-Signature header for a body, as the sender makes it. Rejects with
 * `ConfigurationError` (`invalid_secret`, `invalid_option`, `unknown_option`, `body_not_bytes`).
 *
 * @example
 * const headers = { 'service-signature': await signPayload({ body, secret }) }
 */
export async function signPayload(input: SignInput): Promise<string> {
  requireObject('the input', input)
  checkNames('signPayload', input, inputNames)
  const { scheme, keysOf } = profileOf(input.scheme)
  const body = toBytes(input.body)
  const timestamp = input.timestamp ?? systemClock()
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > 999_999_999_999) {
    throw invalidOption('timestamp must be whole unix seconds')
  }
  const head = signedHead(scheme, String(timestamp), input.id)
  if (head === undefined) {
    throw invalidOption('this scheme signs the event id: pass an id without dots')
  }
  const keys = keysOf(input.secret)
  const signatures = await Promise.all(keys.map((key: HmacKey) => hmac(key, head, body)))
  return [`t=${timestamp}`, ...signatures.map((digest) => `v1=${encodeSignature(scheme, digest)}`)].join(',')
}
