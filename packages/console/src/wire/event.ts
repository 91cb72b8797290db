/** Events: lists, one event, and changes of one event. */
import type { FailedAttempt } from 'webhook-inbox'
import type { Act, AuditRow, ProblemCode } from './answer.js'

export type EventState = 'accepted' | 'failed' | 'done' | 'dead'

/** An event without its body. */
export interface EventRow {
  readonly id: string
  readonly type: string
  readonly state: EventState
  /** When the sender created it, according to the sender. */
  readonly createdAt: string
  readonly receivedAt: string
  /** When its delivery was quarantined. Only if it was released from there: then `receivedAt` is the time of the release. */
  readonly deliveredAt?: string
  readonly doneAt?: string
  /** Only when `failed`: it is not due before this time. */
  readonly retryAt?: string
  /** How many claims ended since it was accepted or last replayed. */
  readonly attempt: number
  readonly failures: number
  /** 0 for the sender’s own delivery; one more for each replay. */
  readonly generation: number
  readonly lastError?: string
  readonly resource?: string
  /** The group of failures that it belongs to, while it is failed or dead. */
  readonly group?: string
  /** The id of the event from which it was copied. The sender has not signed the copy. */
  readonly parent?: string
  /** The size of the body in bytes. */
  readonly bytes: number
  /**
   * Only in a list, of its 20 oldest events that are due: why it does not run, as a reason of `receiver.explain`. `running` if it
   * does.
   */
  readonly why?: string
  /** Only in a list: whether a person gave this dead event up. Then `lastError` is the reason. */
  readonly isGivenUp?: boolean
}

/** An attempt that did not succeed. */
export type AttemptRow = FailedAttempt

/** How the shape of the data of an event differs. Contains no value of the data. */
export interface ShapeChangeRow {
  readonly change: 'missing' | 'added' | 'type' | 'renamed'
  readonly path: string
  /** The previous type or path. */
  readonly before?: string
  readonly type: string
}

/** The discard of an event or a delivery. `undoUntil` is absent if `POST api/undo` cannot restore it any more. */
export interface Discard {
  readonly at: string
  /** Who. Absent without the action `audits:read`. */
  readonly actor?: string
  readonly undoUntil?: string
}

/** `GET api/events/:id` and `GET api/quarantine/:key` for what was discarded. */
export interface Discarded extends Partial<InQuarantine> {
  readonly discard: Discard
  /** The event as it was. Absent for a delivery, and once it cannot be restored any more. */
  readonly was?: Pick<EventRow, 'type' | 'resource' | 'lastError'>
  /** Who did what with the event, newest first. Absent without the action `audits:read`. */
  readonly audits?: readonly AuditRow[]
}

/** `GET api/events/:id` for an id that no event has, but a delivery in quarantine. Also part of an event with the same id. */
export interface InQuarantine {
  readonly quarantined: {
    readonly code: string
    /** Its newest delivery. */
    readonly key: string
  }
}

/** `GET api/quarantine/:key` for a delivery that became an event. */
export interface Released {
  readonly released: {
    readonly at: string
    readonly eventId: string
    /** Who. Absent without the action `audits:read`. */
    readonly actor?: string
  }
}

/** The response of `POST api/events/:id/discard` and `POST api/quarantine/:key/discard`. */
export type DiscardDone = Partial<Pick<Discard, 'undoUntil'>>

/** The give-up of a dead event. The reason is its `lastError`. */
export interface GivenUp {
  readonly at: string
  /** Who. Absent without the action `audits:read`. */
  readonly actor?: string
}

/** `GET api/events/:id` */
export interface EventDetail extends EventRow, Partial<InQuarantine> {
  /** Only of a dead event that an operator gave up. */
  readonly givenUp?: GivenUp
  /** Says which number JavaScript cannot represent exactly, so that the handler gets it rounded. Absent if there is none. */
  readonly rounded?: string
  /** Each attempt that did not succeed, oldest first. Absent if there is none. */
  readonly attempts?: readonly AttemptRow[]
  /** Why the event is in its current state, as one sentence. Absent if the store cannot say it. */
  readonly explanation?: Explanation
  /** How it differs from the event of its type that was done last. Only for a failed or dead event, and if one is kept. */
  readonly shapeChanges?: readonly ShapeChangeRow[]
  /** The id of that event. */
  readonly lastSuccess?: string
  /** When that event was done. */
  readonly lastSuccessAt?: string
  /** The state of the event from which it was copied. Absent if that is not kept. */
  readonly parentState?: EventState
  /** The ids of its newest edited copies, at most five. Absent if none is known. */
  readonly copies?: readonly string[]
  /** What to know before each change: sentences; of a replay, one reason in a line. An empty text if nothing is known. */
  readonly before: Readonly<Record<'replay' | 'discard' | 'retryNow' | 'giveUp' | 'edit', string>>
  /** Only for a dead or done event: how many later events of its resource are done, at most ten. Absent if none is. */
  readonly laterDone?: number
  /** Why a part is missing, such as `too_slow`. */
  readonly problems?: readonly ProblemCode[]
  /** Who replayed or changed it, newest first. Absent without the action `audits:read`. */
  readonly audits?: readonly AuditRow[]
}

/**
 * Why an event does not run. `reason` is one of those of `receiver.explain`. Without the action `audits:read` the sentence does
 * not say who paused it and why.
 */
export interface Explanation {
  readonly reason: string
  readonly sentence: string
  /** The id of the event that runs first. */
  readonly earlier?: string
  readonly until?: string
  readonly retryAt?: string
  readonly resource?: string
  readonly type?: string
  /** The times that the sentence contains. A time in a reason or an error is not one of them. */
  readonly times?: readonly string[]
}

/** `GET api/events/:id/body` */
export interface Body {
  /** The body as text, with masked values replaced. `null` if it cannot be shown. */
  readonly text: string | null
  /** The exact bytes. Absent if a mask is configured. */
  readonly base64?: string
  /** Whether a mask is configured. Then the text is not what was signed. */
  readonly isMasked: boolean
  /** Why `text` is null. `too_complex`: the mask would cost too much. */
  readonly withheld?: 'not_text' | 'not_json' | 'too_complex'
  readonly bytes: number
}

/** `GET api/events/:id/snippet?as=curl|vitest|fixture&redact=data.phone,data.name`, after the mask of the console. */
export interface Snippet {
  /** Signed with the secret of the test kit, never with the secret of the receiver. */
  readonly text: string
  readonly fileName: string
  /** The paths of `redact` that hid nothing in this body. Absent if each did. */
  readonly unmatched?: readonly string[]
}

/**
 * The body of a change of one event: `replay`, `discard`, `retry-now` and `give-up`. The response is 409 `event_changed` if
 * the event has changed since.
 */
export interface EventAct extends Act {
  /** The event as it was shown. */
  readonly seen: { readonly state: EventState; readonly generation: number }
}

/** The body of `POST api/events/:id/replay`. */
export interface Replay extends EventAct {
  /** The copies that were shown. The response is 409 `event_changed` if there is a newer one. Absent: any may exist. */
  readonly copies?: readonly string[]
}

/** `POST api/events/:id/replay` */
export interface Replayed {
  readonly generation: number
}

/** `POST api/events/:id/replay-edited`. Rejected as `masked_body` if a mask is configured. */
export interface ReplayEdited extends EventAct {
  /** The whole body as text, so that no number is rounded on the way. */
  readonly body: string
  /** The copies that were shown. The response is 409 `event_changed` if there is a newer one. Absent: none. */
  readonly copies?: readonly string[]
}

export interface Edited {
  /** The id of the copy. */
  readonly id: string
}
