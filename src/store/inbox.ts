import type { Code } from '../codes.js'
import type { Audit, AuditLog } from './audit-log.js'
import type { BulkStore } from './bulk-store.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { EventFilter } from './event-filter.js'
import type { Durations, EventRef } from './event-ref.js'
import type { FailureLog } from './failure-log.js'
import type { FailureCause } from './fingerprint.js'
import type { FlowStore } from './flow-store.js'
import type { FailureCount, InboxState, SeenEvent, StoredEvent } from './inbox-event.js'
import type {
  AcceptDeadOutcome,
  QuarantinedDelivery,
  QuarantineOutcome,
  StoredQuarantine,
} from './quarantined-delivery.js'
import type { StatisticsStore } from './statistics-store.js'
import type { TakenEvent } from './taken-event.js'

export type { Audit } from './audit-log.js'
export type { EndpointScope } from './endpoint-scope.js'
export type { EventFilter } from './event-filter.js'
export type { FailedAttempt } from './failed-attempt.js'
export type { FailureCount, InboxState, SeenEvent, StoredEvent } from './inbox-event.js'
export type {
  AcceptDeadOutcome,
  QuarantinedDelivery,
  QuarantineOutcome,
  StoredQuarantine,
} from './quarantined-delivery.js'

export type { HeldClaim, TakenEvent } from './taken-event.js'

export type AcceptOutcome =
  /** It is committed now, and will be run. */
  | { readonly state: 'accepted' }
  /** It was committed before, with this content. */
  | { readonly state: 'duplicate'; readonly contentHash: string }
  /** A concurrent delivery of it is being committed. */
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }

/** Which of the events to list. */
export interface InboxPage extends EventFilter {
  /** By the time they were received. Default: oldest first. */
  readonly order?: 'oldest' | 'newest' | undefined
  /** How many at most; default 100. */
  readonly limit?: number | undefined
  /** The `key` of the last event of the previous page. */
  readonly after?: string | undefined
  /** False leaves the bodies out: `body` is empty, and `bodyBytes` is its length. Default true. */
  readonly bodies?: boolean | undefined
}

export type InboxQuery = EndpointScope & InboxPage

export type QuarantineQuery = EndpointScope & {
  /** Only those that were quarantined with this code. */
  readonly code?: Code | undefined
  /** Only those with this id of an event. */
  readonly eventId?: string | undefined
  /** How many at most; default 100. */
  readonly limit?: number | undefined
  /** By the time of arrival. Default `newest`. */
  readonly order?: 'oldest' | 'newest' | undefined
  /** The `place` of the last delivery of the previous page. That delivery may have been deleted since. */
  readonly after?: number | undefined
  /** False leaves the bodies out: `body` is empty, and `bodyBytes` is its length. Default true. */
  readonly bodies?: boolean | undefined
}

/** Narrows a search for due events to what the caller needs. */
export interface DueFilter {
  /** Only events of these types. */
  readonly onlyTypes?: readonly string[] | undefined
  readonly exceptTypes?: readonly string[] | undefined
  readonly exceptResources?: readonly string[] | undefined
  /** False leaves the bodies out: `body` is empty, and `bodyBytes` is its length. Default true. */
  readonly bodies?: boolean | undefined
}

export interface InboxHealth {
  /** How many events are in each state. */
  readonly counts: Readonly<Record<InboxState | 'quarantined', number>>
  /**
   * How long the oldest unprocessed event has waited, in seconds: since its arrival, or since its last replay. 0 when every
   * event is done or dead. It is found among the first 10,000 events of each state.
   */
  readonly oldestUnprocessedSeconds: number
}

/**
 * What a store that keeps whole events offers in addition to `once`. `inboxSuite` checks these rules.
 *
 * - `accept` resolves only after the commit. The event and what `enqueue` wrote through `tx` commit together. If
 *   `enqueue` rejects, nothing is kept.
 * - Only `prune` and `discard` delete events. `prune` deletes only done events, `discard` only dead ones.
 * - `prune` deletes an event only after its own retention, by the database’s clock. An earlier date changes nothing.
 * - `once` claims an accepted or failed event as if it were unseen. For a done one it returns `duplicate`.
 * - With `seen`, `once` claims an event only as the caller found it. It returns `busy` if another worker has run it since, if a
 *   failure was noted since, or if it was replayed. So one attempt runs in one worker, and never before its pause has ended.
 * - `once` also keeps the events it runs: as `done`, or as `failed` with the error when the work rejected.
 * - If the work for an event of a queue rejected, `once` sets `retryAt` to the time when the lease would have ended. The queue
 *   replaces it with the time of the next attempt, and no other worker runs the event before that.
 * - If an event is `failed` because of `once` and has no job, `accept` accepts it like an unseen event.
 * - Only a replay runs a dead event: `once` returns `busy`. Only a replay undoes `done`.
 * - While a worker runs an event, `requeue` rejects with `StoreError` and changes nothing, because the event would run twice.
 *   `discard` rejects in the same way if an event can be dead while its handler runs past its time.
 * - An accepted event is due immediately, even if the database’s clock was set back since.
 * - Events of one endpoint and one resource run one at a time, in the order they were accepted. `once` returns `busy`
 *   immediately for an event while an earlier one is neither done nor dead. Two events accepted at the same moment may run
 *   in either order. A replayed event waits for the event that runs, and runs before the events accepted after it. A dead
 *   process blocks its resource only until its lease ends.
 * - If the work rejects with a `HandlerFailure` whose `isAttempt` is false, its entry in `attempts` has `isUncounted`.
 * - `read` returns each attempt that failed, with what `once`, `postpone`, `markDead` or `acceptDead` noted of it. The note of
 *   a queue replaces that of `once` on the same attempt. A replay, a discard that is undone, and the end of the event leave
 *   the attempts as they are. A copy of the event begins without any.
 * - If `seen` is given, an event that is in another state or generation does not change. The verb rejects with
 *   `ConflictError` `event_changed`. The transaction of the change compares it. With `copies`, it also compares the newest edited
 *   copy.
 * - Each verb rejects with `ConfigurationError` `invalid_option` for an argument of the wrong type.
 */
export interface Inbox<Tx = undefined> {
  /** Absent if the store cannot hold events back. */
  readonly flow?: FlowStore
  /**
   * The store may commit several events together, and calls the `enqueue` of one after the other with the same `tx`. If one
   * rejects, nothing of this transaction is kept, and the store accepts each event alone. So it may call `enqueue` twice. Omit
   * it if the queue writes nothing.
   */
  accept(event: EventRef, enqueue?: (tx: Tx) => Promise<void>): Promise<AcceptOutcome>
  /** The event under a key, with its `attempts`; `undefined` if none is committed. */
  read(key: string): Promise<StoredEvent | undefined>
  /** The events that meet the filter, oldest first unless `order` says otherwise. */
  list(query: InboxQuery): Promise<StoredEvent[]>
  /**
   * Reads an event and claims it in the same round trip. Pass the claim to `once` as `EventRef.claim`, or release it: until then
   * the event is busy for others, at most as long as `durations` allow. Call no other method for this event in between.
   * `undefined` if it is not `accepted`, or cannot be claimed now. Then use `read` and `once`. Absent: always do so.
   */
  take?(event: Pick<EventRef, 'key' | 'resource'>, durations: Durations): Promise<TakenEvent | undefined>
  /**
   * Events that can run now, oldest first: accepted ones, and failed ones whose `retryAt` has passed. Events under a
   * claim, events that wait for an earlier one of their resource, and what `flow` holds back are left out. `endpoint`
   * limits it to one. A caller checks the events again, so a store may ignore all of the filter but `bodies`.
   */
  due(limit: number, endpoint?: string, filter?: DueFilter): Promise<StoredEvent[]>
  /**
   * The earliest unfinished event (not done, not dead) of the same resource as the event with this key. It can be that event
   * itself. `undefined` if there is none, or if the event has no resource.
   */
  nextForResource(key: string): Promise<StoredEvent | undefined>
  /**
   * Counts a failure. The event is due again `retryAfterSeconds` from now. Changes nothing if the event is not at `at` any more:
   * then this failure is noted already, or the event was replayed.
   */
  postpone(
    key: string,
    retryAfterSeconds: number,
    error: string,
    cause?: FailureCause,
    at?: FailureCount,
  ): Promise<void>
  /** Counts a failure and makes an event `dead`: it does not run again until it is replayed. For `at` see `postpone`. */
  markDead(key: string, error: string, cause?: FailureCause, at?: FailureCount): Promise<void>
  /**
   * Makes an event `accepted` again and increases its generation. Resolves to the new generation; `undefined` for an unknown
   * key. The audit and what `enqueue` writes commit with it. Rejects with `ConflictError`, and changes nothing, if the event is
   * not as `seen`, or has a newer edited copy than `copies`. Rejects with `StoreError` while a worker runs the event.
   */
  requeue(
    key: string,
    audit: Audit,
    enqueue: (tx: Tx, generation: number) => Promise<void>,
    seen?: SeenEvent,
    copies?: readonly string[],
  ): Promise<number | undefined>
  /** Keeps a delivery that is not an event, or conflicts with one. The same bytes are kept once and counted. */
  quarantine(delivery: QuarantinedDelivery): Promise<QuarantineOutcome>
  /**
   * Keeps an event that no retry can process: it is `dead` immediately, blocks no resource, and can be replayed. Its
   * `lastError` is `<code>: <reason>`. Do not call it from within the work of `once` on the same event.
   */
  acceptDead(event: EventRef, code: Code, reason: string): Promise<AcceptDeadOutcome>
  /** Quarantined deliveries, newest first. */
  quarantined(query: QuarantineQuery): Promise<StoredQuarantine[]>
  /** The quarantined delivery under a key; `undefined` if none is kept. */
  readQuarantined?(key: string): Promise<StoredQuarantine | undefined>
  /**
   * Deletes a quarantined delivery or a dead event by its `key`, and commits the audit with it. Resolves to false, and
   * changes nothing, for any other key. A later delivery of a discarded event is a new event. A store with `bulk` can
   * undo it for `undoSeconds`, by default 0.
   */
  discard(key: string, audit: Audit, undoSeconds?: number, seen?: SeenEvent): Promise<boolean>
  /** Deletes up to `limit` deliveries quarantined longer ago than this; resolves to how many. */
  pruneQuarantine(retentionSeconds: number, limit: number): Promise<number>
  /** Counts of the whole store, over every endpoint. */
  health(): Promise<InboxHealth>
  /** Counts and latencies. Reading them takes the same time in an inbox of any size. */
  readonly statistics?: StatisticsStore
  /** The log of what operators did. */
  readonly auditLog?: AuditLog
  /** Plans, runs over them, and undo. */
  readonly bulk?: BulkStore<Tx>
  /** The failures by their cause. */
  readonly failures?: FailureLog
}
