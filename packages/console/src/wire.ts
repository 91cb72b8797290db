/**
 * What the server and the page of the console say to each other. The page imports this file as types.
 *
 * Times are RFC 3339. Durations are in seconds.
 */
import type { Statistics } from 'webhook-inbox'

export type { CappedCount, Statistics, StatisticsBucket } from 'webhook-inbox'

/** What a person may do. Every view and every act asks for one of these. */
export type ConsoleAction =
  | 'overview:read'
  | 'events:read'
  | 'bodies:read'
  | 'events:replay'
  | 'events:retry'
  | 'events:give-up'
  /** Takes back a discard as well. */
  | 'events:discard'
  | 'events:edit'
  | 'deliveries:verify'
  | 'groups:write'
  | 'consumption:pause'
  | 'audits:read'

/** The parts of the console that this receiver can serve. The page leaves out the others. */
export type Feature =
  | 'statistics'
  | 'audits'
  | 'explain'
  | 'flow'
  | 'groups'
  | 'shapes'
  | 'bulk'
  | 'retry'
  | 'edit'
  | 'verify'
  | 'workers'
  | 'copy'
  | 'body-search'

/** `GET api/me` */
export interface Me {
  /** The actions that `authorize` permits. Acts are missing where the console is read-only. */
  readonly actions: readonly ConsoleAction[]
  readonly features: readonly Feature[]
  /** The name that the audit keeps. Absent where the person may only read. */
  readonly actor?: string
  readonly environment?: string
  readonly isReadOnly: boolean
}

export type EventState = 'accepted' | 'failed' | 'done' | 'dead'

/** An event without its body. */
export interface EventRow {
  readonly id: string
  readonly type: string
  readonly state: EventState
  /** When the sender created it, as it says. */
  readonly createdAt: string
  readonly receivedAt: string
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
  /** The id of the event that it was copied from. No sender has signed it then. */
  readonly parent?: string
  /** The size of the body in bytes. */
  readonly bytes: number
}

/** How the data of an event differs in its shape. Holds no value of the data. */
export interface ShapeChangeRow {
  readonly change: 'missing' | 'added' | 'type' | 'renamed'
  readonly path: string
  /** The type or the path that it had. */
  readonly before?: string
  readonly type: string
}

/** `GET api/groups?state=`: events and deliveries that failed for one cause. */
export interface GroupRow {
  readonly group: string
  readonly state: 'open' | 'acknowledged' | 'resolved'
  readonly title: string
  readonly code?: string
  /** The line of the program that failed. */
  readonly place?: string
  readonly count: number
  readonly isCapped: boolean
  readonly dead: number
  readonly failed: number
  readonly quarantined: number
  readonly types: readonly string[]
  readonly firstSeenAt: string
  readonly lastSeenAt: string
  /** The id of an event, or the key of a quarantined delivery. */
  readonly example: string
  readonly isExampleDelivery: boolean
}

/** `GET api/groups/:group` */
export interface GroupDetail extends GroupRow {
  /** When an event of the type of the example was last done. Absent where none is kept. */
  readonly lastSuccessAt?: string
  /** How the example differs from that event. */
  readonly shapeChanges?: readonly ShapeChangeRow[]
  /** Who acknowledged or resolved it lately, newest first. Absent without the action `audits:read`. */
  readonly audits?: readonly AuditRow[]
  /** Why a part is missing, such as `too_slow`. */
  readonly problems?: readonly ProblemCode[]
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Pass it as `cursor` for the next page. Absent on the last page. */
  readonly next?: string
  /** How many events a search in bodies has read. It stops at a limit, and goes on at `next`. */
  readonly searched?: number
}

/** `GET api/events/:id` */
export interface EventDetail extends EventRow {
  /** Why it is where it is, as one sentence. Absent where the store cannot say it. */
  readonly explanation?: Explanation
  /** How it differs from the newest done event of its type. Only for a failed or dead event. */
  readonly shapeChanges?: readonly ShapeChangeRow[]
  /** Why a part is missing, such as `too_slow`. */
  readonly problems?: readonly ProblemCode[]
  /** Who replayed or changed it, newest first. Absent without the action `audits:read`. */
  readonly audits?: readonly AuditRow[]
}

/** `GET api/events/:id/body` */
export interface Body {
  /** The body as text, with masked values replaced. `null` where it cannot be shown. */
  readonly text: string | null
  /** The exact bytes. Absent where a mask is configured. */
  readonly base64?: string
  /** Whether a mask is configured. Then the text is not what was signed. */
  readonly isMasked: boolean
  /** Why `text` is null. `too_complex`: the mask would cost too much. */
  readonly withheld?: 'not_text' | 'not_json' | 'too_complex'
  readonly bytes: number
}

export interface QuarantineRow {
  readonly key: string
  /** Why it was quarantined. */
  readonly code: string
  readonly eventId?: string
  readonly receivedAt: string
  /** How often the same bytes arrived. */
  readonly deliveries: number
  readonly bytes: number
}

/** `GET api/quarantine/:key` */
export interface QuarantineDetail extends QuarantineRow {
  /** The body of the delivery. Absent without the action `bodies:read`. */
  readonly body?: Body
  /** The event of the same id that is kept. */
  readonly kept?: EventRow
  /** The body of that event. Absent without the action `bodies:read`. */
  readonly keptBody?: Body
}

export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly actor: string
  readonly reason: string
  readonly eventId?: string
  readonly subject?: string
  readonly run?: string
}

/** A part of a view. One that fails or takes too long does not take the others with it. */
export type Part<Value> = { readonly value: Value } | { readonly problem: string; readonly code: ProblemCode }

/** `GET api/overview?hours=` */
export interface Overview {
  /** The guarantee of the receiver as plain text. */
  readonly guarantee: string
  /** The length of the window. */
  readonly hours: number
  readonly statistics: Part<Statistics>
}

/** Why an event does not move. `reason` is one of those of `receiver.explain`. */
export interface Explanation {
  readonly reason: string
  readonly sentence: string
  /** The id of the event that runs first. */
  readonly earlier?: string
  readonly until?: string
  readonly retryAt?: string
  readonly resource?: string
  readonly type?: string
}

/** `GET api/flow/pauses` */
export interface PauseRow {
  /** Only events of this type. Absent for a resource, and for the whole endpoint. */
  readonly type?: string
  readonly resource?: string
  readonly at: string
  readonly actor: string
  readonly reason: string
}

/** `POST api/flow/pause` and `POST api/flow/resume`, with a `type` or a `resource` in the body, or neither. */
export interface FlowChanged {
  /** False where it was so before. */
  readonly isChanged: boolean
}

/** What every act takes. */
export interface Act {
  /** Why. It is kept for auditors. */
  readonly reason: string
}

/**
 * What an act on one event takes: `replay`, `discard`, `retry-now` and `give-up`. Answered 409 `event_changed` where the event
 * is another one by then.
 */
export interface EventAct extends Act {
  /** The event as it was shown. */
  readonly seen: { readonly state: EventState; readonly generation: number }
}

export type BulkAction = 'replay' | 'retryNow' | 'giveUp' | 'discard'

/** `POST api/plans`, with the right of the action. It needs no reason, because it changes no event. */
export interface NewPlan {
  readonly action: BulkAction
  /** The words of the address. Times as text. */
  readonly where?: {
    readonly state?: EventState
    readonly type?: string
    readonly group?: string
    readonly resource?: string
    readonly since?: string
    readonly until?: string
  }
}

export interface PlanView {
  readonly id: string
  readonly action: BulkAction
  readonly count: number
  readonly isCapped: boolean
  readonly createdAt: string
  /** Up to five of the oldest events. */
  readonly sample: readonly EventRow[]
}

/** `POST api/plans/:id/run`, with the right of the action of the plan. */
export interface RunPlan extends Act {
  readonly perSecond?: number
  readonly canary?: number
}

/** `GET api/runs/:id`. Also the answer of a run, and of `retry-now` and `give-up`, which are runs over one event. */
export interface RunView {
  readonly id: string
  readonly action: BulkAction
  readonly reason: string
  readonly actor: string
  readonly perSecond: number
  readonly canary: number
  readonly isPastCanary: boolean
  readonly state: 'running' | 'canary' | 'paused' | 'stopped' | 'cancelled' | 'done'
  readonly count: number
  readonly applied: number
  /** How many were left alone, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly failed: number
  readonly remaining: number
  readonly note?: string
  readonly createdAt: string
  readonly endedAt?: string
  /** Whether it discarded something. Within the time for it, `POST api/undo` brings that back. */
  readonly canUndo: boolean
}

/** `GET api/runs/:id/left-alone` */
export interface LeftAloneRow {
  readonly place: number
  readonly eventId?: string
  readonly because: string
  readonly detail?: string
}

/** `POST api/runs/:id/pause`, `resume` and `cancel`, with the right of the action of the run. */
export interface RunChanged {
  /** False where it was so before, or where the run has ended. */
  readonly isChanged: boolean
}

/** `POST api/undo` */
export interface Undo extends Act {
  /** The id of an event or a run, or the key of a quarantined delivery. */
  readonly of: string
}

export interface Undone {
  readonly undone: number
}

/** `POST api/events/:id/replay-edited`. Refused as `masked_body` where a mask is configured. */
export interface ReplayEdited extends Act {
  /** The whole body as text, so that no number is rounded on the way. */
  readonly body: string
}

export interface Edited {
  /** The id of the copy. */
  readonly id: string
}

/** `POST api/quarantine/:key/verify-again` */
export type VerifiedAgain =
  | { readonly outcome: 'accepted'; readonly eventId: string }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail?: string }

/** `GET api/workers`: a process that runs events. */
export interface WorkerRow {
  readonly id: string
  readonly process: string
  readonly version: string
  readonly startedAt: string
  readonly seenAt: string
  /** What its limits hold back at the moment. */
  readonly limitedTypes: readonly string[]
  readonly limitedResources: readonly string[]
}

/** `GET api/events/:id/copy?as=curl|vitest|fixture&redact=data.phone,data.name`, after the mask of the console. */
export interface CopyView {
  /** Signed with the secret of the test kit, never with that of the receiver. */
  readonly text: string
  readonly fileName: string
}

/** `POST api/events/:id/replay` */
export interface Replayed {
  readonly generation: number
}

/** `event: change` of `GET api/stream`: something changed; read the open view anew. */
export interface Change {
  readonly at: string
}

/** RFC 9457, with the media type `application/problem+json`. */
export interface ProblemDocument {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
}

export type ProblemCode =
  | 'forbidden'
  | 'read_only'
  | 'foreign_origin'
  | 'not_found'
  | 'masked_body'
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'invalid_request'
  | 'not_supported'
  | 'too_slow'
  | 'stopping'
  | 'event_changed'
  | 'store_unavailable'
  | 'internal_error'
