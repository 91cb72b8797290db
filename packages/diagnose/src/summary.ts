import type { Cause, RefusalCode } from './diagnosis.js'

const refusals: Readonly<Record<RefusalCode, string>> = {
  missing_signature: 'There is no Service-Signature header.',
  malformed_signature: 'The receiver cannot read the Service-Signature header.',
  signature_mismatch: 'The signature does not match these bytes and this secret.',
  timestamp_out_of_tolerance: 'The signature matches, but its timestamp is outside the tolerance.',
  event_id_mismatch: 'The signature matches, but Service-Event-Id differs from the id in the body.',
  invalid_secret: 'The secret cannot be used: a receiver does not start with it.',
}

/** One sentence that answers whether the signature is accepted, and a second one with the cause. */
export function summaryOf(code: RefusalCode | undefined, causes: readonly Cause[]): string {
  if (code === undefined) {
    return 'The signature matches.'
  }
  const isSaid = code === 'timestamp_out_of_tolerance' || code === 'event_id_mismatch'
  if (isSaid || code === 'missing_signature') {
    return refusals[code]
  }
  const [first] = causes
  if (causes.length === 1 && first) {
    return `${refusals[code]} ${first.sentence}`
  }
  if (causes.length > 1) {
    return `${refusals[code]} It has ${causes.length} causes; it matches once all are corrected.`
  }
  return `${refusals[code]} No correction that was tried makes it match.`
}

/** The first difference between the signed and the given bytes. `undefined` if they are equal. */
export function differenceOf(given: Uint8Array, signed: Uint8Array): string | undefined {
  const length = Math.max(given.length, signed.length)
  for (let at = 0; at < length; at++) {
    if (given[at] === signed[at]) {
      continue
    }
    return `First difference at byte ${at}; ${given.length} bytes given, ${signed.length} signed.`
  }
  return undefined
}
