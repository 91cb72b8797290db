import { type Code, codes } from './codes.js'
import type { WebhookEvent } from './event/event.js'

/** What became of one delivery. */
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
 * What `receive` resolves to: the answer for the sender, and everything the operator may want to know. Frozen, so that
 * what looks at it, such as `onResult`, cannot change the answer.
 */
export type ReceiveResult = Acknowledged | Unacknowledged

interface Answer {
  /** The HTTP status to answer with. */
  readonly status: number
  /** The headers to answer with. */
  readonly headers: Readonly<Record<string, string>>
  /** The body to answer with: `{"outcome", "code"?, "eventId"?}` and nothing else, as JSON. */
  readonly body: string
  /** Known as soon as the signed body has been read. */
  readonly event?: WebhookEvent
  readonly eventId?: string
  /** What was odd about an authentic event without being wrong. For the operator. */
  readonly warnings?: readonly string[]
  /** Which secret made the signature, counted from 0: tells when an old one can be retired. For the operator. */
  readonly secretIndex?: number
}

/** 2xx: the sender need not deliver again. */
export interface Acknowledged extends Answer {
  readonly outcome: 'processed' | 'accepted' | 'duplicate' | 'ignored' | 'quarantined'
  /** Why, where the event was quarantined. */
  readonly code?: Code
}

/** Not 2xx: nothing was promised, and the sender delivers again if it is the sender. */
export interface Unacknowledged extends Answer {
  readonly outcome: 'in_progress' | 'failed' | 'rejected'
  readonly code: Code
  /** Details for the operator; never a secret or a part of the body. */
  readonly detail?: string
  /** What was thrown, where something was. For the operator. */
  readonly cause?: unknown
}

/** What is known of the delivery that is answered. */
interface Known {
  readonly event?: WebhookEvent | undefined
  readonly warnings?: readonly string[] | undefined
  readonly secretIndex?: number | undefined
  readonly code?: Code | undefined
  readonly detail?: string | undefined
  readonly cause?: unknown
}

/** The answer that takes an event off the sender’s hands. */
export function acknowledge(outcome: Acknowledged['outcome'], known: Known): ReceiveResult {
  return answer(outcome, 200, jsonHeaders, known)
}

/** The answer for a code; its status and outcome follow from the code. */
export function reject(code: Code, reason: Known & { retryAfterSeconds?: number } = {}): ReceiveResult {
  const { status } = codes[code]
  const { retryAfterSeconds } = reason
  const outcome = code === 'in_progress' ? code : status >= 500 ? 'failed' : 'rejected'
  const headers: Record<string, string> = { ...jsonHeaders }
  if (status === 405) headers.allow = 'POST'
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  }
  return answer(outcome, status, Object.freeze(headers), { ...reason, code })
}

const jsonHeaders = Object.freeze({ 'content-type': 'application/json' })

function answer(outcome: Outcome, status: number, headers: Answer['headers'], known: Known): ReceiveResult {
  const { code, event, detail, cause, warnings, secretIndex } = known
  const eventId = event?.id
  const body = `{"outcome":"${outcome}"${field('code', code)}${field('eventId', eventId)}}`
  // Set one by one: an object of optional spreads costs four times as much, and this is made for every delivery.
  const result: Record<string, unknown> = { outcome, status, headers, body }
  if (code) result.code = code
  if (event) {
    result.event = event
    result.eventId = eventId
  }
  if (detail !== undefined) result.detail = detail
  if (cause !== undefined) result.cause = cause
  if (warnings?.length) result.warnings = warnings
  if (secretIndex !== undefined) result.secretIndex = secretIndex
  return Object.freeze(result) as unknown as ReceiveResult
}

/** Written by hand: to have an object made into JSON takes 0.1 us more. */
const field = (name: string, value: string | undefined) =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
