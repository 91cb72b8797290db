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

export interface Context {
  readonly event?: WebhookEvent
  readonly warnings?: readonly string[]
  readonly secretIndex?: number
}

/** The answer that takes an event off the sender’s hands. */
export function acknowledge(
  outcome: Acknowledged['outcome'],
  { event, warnings, secretIndex, code }: Context & { code?: Code },
): Acknowledged {
  return Object.freeze({
    outcome,
    status: 200,
    headers: jsonHeaders,
    body: JSON.stringify({ outcome, ...(code && { code }), ...(event && { eventId: event.id }) }),
    ...(event && { event, eventId: event.id }),
    ...(code && { code }),
    ...(warnings?.length && { warnings }),
    ...(secretIndex !== undefined && { secretIndex }),
  })
}

export interface Reason extends Context {
  readonly detail?: string | undefined
  readonly cause?: unknown
  readonly retryAfterSeconds?: number
}

/** The answer for a code; its status and outcome follow from the code. */
export function decline(code: Code, reason: Reason = {}): Unacknowledged {
  const { event, detail, cause, warnings, secretIndex, retryAfterSeconds } = reason
  const { status } = codes[code]
  const outcome = code === 'in_progress' ? 'in_progress' : status >= 500 ? 'failed' : 'rejected'
  return Object.freeze({
    outcome,
    code,
    status,
    headers: Object.freeze({
      ...jsonHeaders,
      ...(status === 405 && { allow: 'POST' }),
      ...(retryAfterSeconds !== undefined && {
        'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
      }),
    }),
    body: JSON.stringify({ outcome, code, ...(event && { eventId: event.id }) }),
    ...(event && { event, eventId: event.id }),
    ...(detail !== undefined && { detail }),
    ...(cause !== undefined && { cause }),
    ...(warnings?.length && { warnings }),
    ...(secretIndex !== undefined && { secretIndex }),
  })
}

const jsonHeaders = Object.freeze({ 'content-type': 'application/json' })
