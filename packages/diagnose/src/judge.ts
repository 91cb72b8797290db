import { ConfigurationError, VerificationError, verifySignature } from 'webhook-inbox'
import type { Case } from './case.js'
import type { RefusalCode } from './diagnosis.js'

/** Accepted where there is no code. */
export interface Verdict {
  readonly code?: RefusalCode
  readonly detail?: string
}

/** The verdict of the receiver. The search does not influence it. */
export async function judge(given: Case): Promise<Verdict> {
  const { body, header, id, secret, scheme, toleranceSeconds, now } = given
  try {
    await verifySignature({
      body,
      header,
      secret: secret.secret,
      scheme,
      toleranceSeconds,
      now,
      ...(id !== undefined && { id }),
    })
  } catch (error) {
    if (error instanceof VerificationError) {
      return { code: error.code, detail: error.message }
    }
    if (error instanceof ConfigurationError && error.code === 'invalid_secret') {
      return { code: 'invalid_secret', detail: error.message }
    }
    throw error
  }
  return hasOtherId(given) ? { code: 'event_id_mismatch' } : {}
}

/** Whether the header names another event than the body does. */
export function hasOtherId({ id, idInBody }: Case): boolean {
  return id !== undefined && idInBody !== undefined && id !== idInBody
}
