/** Types that several views share. */

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Pass it as `cursor` for the next page. Absent on the last page. */
  readonly next?: string
  /** How many events or audits a search has read. It stops at a limit, and continues at `next`. */
  readonly searched?: number
}

/** A part of a view. If it fails or takes too long, the other parts are still shown. */
export type Part<Value> = { readonly value: Value } | { readonly problem: string; readonly code: ProblemCode }

/** The fields of every change. */
export interface Act {
  /** The reason, for the audit log. */
  readonly reason: string
}

/** What the operator should know about a code. */
export interface Advice {
  /** Why it usually happens. */
  readonly cause: string
  readonly fix: string
}

export interface AuditRow {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly actor: string
  readonly reason: string
  readonly eventId?: string
  /** It concerns a quarantined delivery, and not the stored event of the same id. */
  readonly isOfDelivery?: true
  readonly subject?: string
  readonly run?: string
  /** How many events or deliveries the operation changed, if the row stands for more than one. */
  readonly count?: number
  /** The oldest of these that was read; `at` is the newest. */
  readonly since?: string
}

/** `event: change` of `GET api/stream`: something changed; read the open view again. */
export interface Change {
  readonly at: string
}

/** `event: lost` of `GET api/stream`: the last event of a stream that ends, and what the next request would be answered. */
export interface Lost extends Change {
  readonly code: ProblemCode
}

export type ProblemCode =
  | 'forbidden'
  /** `authorize` or `actor` failed. */
  | 'rights_unknown'
  /** `authorize` or `actor` took too long. */
  | 'rights_too_slow'
  | 'read_only'
  | 'foreign_origin'
  | 'not_found'
  | 'masked_body'
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'body_too_slow'
  | 'invalid_request'
  | 'not_supported'
  | 'too_slow'
  | 'busy'
  | 'stopping'
  | 'event_changed'
  /** The pause that was shown has ended, or somebody paused it first. */
  | 'pause_changed'
  /** Somebody changed the state of the cause, or it came back by itself. */
  | 'group_changed'
  /** Somebody paused, resumed or cancelled the operation, or its canary stopped it. */
  | 'run_changed'
  /** The discard that was shown was undone, and somebody discarded the same again. */
  | 'discard_changed'
  /** Another operation began, or became one that can be continued, after the preview. */
  | 'under_way'
  /** What the preview of a check of many deliveries said is not so any more. */
  | 'preview_changed'
  | 'store_unavailable'
  | 'internal_error'
