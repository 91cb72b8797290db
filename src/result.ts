import { type Code, codes } from './codes.js'
import type { WebhookEvent } from './event/event.js'
import type { VerifiedDelivery } from './verified-delivery.js'

/** How one delivery ended. */
export type Outcome =
  | 'processed'
  | 'accepted'
  | 'duplicate'
  | 'ignored'
  | 'quarantined'
  | 'in_progress'
  | 'failed'
  | 'rejected'

/**
 * What `receive` resolves to: the response for the sender, and details for the operator. It is frozen, so that `onResult`
 * cannot change the response.
 */
export type ReceiveResult = Acknowledged | Unacknowledged

interface Answer {
  /** The HTTP status to answer with. */
  readonly status: number
  /** The headers to answer with. */
  readonly headers: Readonly<Record<string, string>>
  /** The body to answer with: `{"outcome", "code"?, "eventId"?}` and nothing else, as JSON. */
  readonly body: string
  /** `delivery`: an HTTP request. `queue`: a worker ran an event that was accepted earlier. */
  readonly source: 'delivery' | 'queue'
  /** Present if the signature is verified and the body could be read as an event. */
  readonly event?: WebhookEvent
  /** Also present if the body of a quarantined delivery is not an event, but has an id. */
  readonly eventId?: string
  /**
   * For `queue`: how many attempts since the last replay have failed, plus one. For a delivery whose handler failed: how often
   * the handler was started.
   */
  readonly attempt?: number
  /** Unusual but valid parts of the event. For the operator. */
  readonly warnings?: readonly string[]
  /** The index of the secret that matched, from 0. It shows when an old secret is no longer used. */
  readonly secretIndex?: number
  /** When the delivery was signed, by the sender’s clock, in unix seconds. Known once the signature holds. */
  readonly signedAt?: number
}

/** 2xx: the sender does not deliver again. */
export interface Acknowledged extends Answer {
  readonly outcome: 'processed' | 'accepted' | 'duplicate' | 'ignored' | 'quarantined'
  /** Why no retry can help: why the delivery is in quarantine, or why its event is dead. */
  readonly code?: Code
  /** Details for the operator; never a secret or a value of the body. */
  readonly detail?: string
  /** The key of the quarantined delivery, for `inspectQuarantined` and `inbox show`. Absent for a dead event. */
  readonly key?: string
}

/** Not 2xx: the sender delivers again. */
export interface Unacknowledged extends Answer {
  readonly outcome: 'in_progress' | 'failed' | 'rejected'
  readonly code: Code
  /** Details for the operator; never a secret or a value of the body. */
  readonly detail?: string
  /** What was thrown. For the operator. */
  readonly cause?: unknown
}

/** Whether the sender is told not to deliver again. */
export const isAcknowledged = (result: ReceiveResult): result is Acknowledged => result.status === 200

/** The facts about the delivery, and the reason of its end. */
interface Facts extends Partial<VerifiedDelivery> {
  readonly code?: Code | undefined
  readonly detail?: string | undefined
  readonly cause?: unknown
  readonly eventId?: string | undefined
  readonly key?: string | undefined
}

/** The result that tells the sender not to deliver again. */
export function acknowledge(outcome: Acknowledged['outcome'], facts: Facts): ReceiveResult {
  return resultOf(outcome, 200, jsonHeaders, facts)
}

/** The result for a code, which decides the status and the outcome. */
export function reject(
  code: Code,
  facts: Facts & { readonly retryAfterSeconds?: number } = {},
): ReceiveResult {
  const { status } = codes[code]
  const { retryAfterSeconds } = facts
  const outcome = code === 'in_progress' ? code : status >= 500 ? 'failed' : 'rejected'
  const headers: Record<string, string> = { ...jsonHeaders }
  if (status === 405) {
    headers.allow = 'POST'
  }
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(
      Math.max(1, Math.min(Math.ceil(retryAfterSeconds) || 1, longestRetryAfter)),
    )
  }
  return resultOf(outcome, status, Object.freeze(headers), { ...facts, code })
}

/** A day, in seconds. A store of the user may return any number. */
const longestRetryAfter = 86_400

const jsonHeaders = Object.freeze({ 'content-type': 'application/json' })

function resultOf(outcome: Outcome, status: number, headers: Answer['headers'], facts: Facts): ReceiveResult {
  const { source = 'delivery', code, event, attempt, warnings, secretIndex, signedAt, detail, cause } = facts
  const body = JSON.stringify({ outcome, code, eventId: event?.id })
  const eventId = event?.id ?? facts.eventId
  const result: Record<string, unknown> = { outcome, status, headers, body, source }
  // Six optional spreads would take a tenth of a whole receive.
  if (code) {
    result.code = code
  }
  if (event) {
    result.event = event
  }
  if (eventId !== undefined) {
    result.eventId = eventId
  }
  if (facts.key !== undefined) {
    result.key = facts.key
  }
  if (attempt) {
    result.attempt = attempt
  }
  if (detail !== undefined) {
    result.detail = detail
  }
  if (cause !== undefined) {
    result.cause = cause
  }
  if (warnings?.length) {
    result.warnings = warnings
  }
  if (secretIndex !== undefined) {
    result.secretIndex = secretIndex
  }
  if (signedAt !== undefined) {
    result.signedAt = signedAt
  }
  return Object.freeze(result) as unknown as ReceiveResult
}
