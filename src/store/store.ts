import type { EventRef } from './event-ref.js'
import type { Inbox } from './inbox.js'

/** What a store passes to the work it runs. */
export interface WorkContext<Tx = undefined> {
  /** The transaction in which the event is marked done; `undefined` if the store has none. */
  readonly tx: Tx
  /**
   * 1 for the first claim of this event, and one more for each further claim. If a claim is a transaction, the store does not
   * count attempts that were rolled back.
   */
  readonly attempt: number
  /** Aborts when the claim is lost to another holder. */
  readonly signal: AbortSignal
}

export type OnceOutcome<T> =
  /** The work ran, and the event is marked done. */
  | { readonly state: 'done'; readonly value: T; readonly attempt: number }
  /** The event is already done, with the content of `contentHash`. */
  | { readonly state: 'duplicate'; readonly contentHash: string }
  /** Another delivery holds the claim. */
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }
  /** The work ran, but the claim had passed to another holder before it could be marked done. */
  | { readonly state: 'lost' }

/**
 * Decides which delivery may run an event. `storeSuite` of `webhook-inbox/testing` checks these rules.
 *
 * - Concurrent calls with one key run the work once, on any instances of one backend.
 * - After the work resolved, a key is `duplicate` until its retention has passed.
 * - After the work rejected, a key is free again, and `once` rejects with the same error.
 * - After its holder died, a key is free when its lease has passed, and not before.
 * - A holder that has lost its claim can no longer change anything.
 * - `once` rejects when the backend cannot answer. It never runs the work without a claim.
 * - Keys are opaque. The store uses the clock of the backend, and not the clock of this process. `dynamoStore` is the only
 *   exception, because DynamoDB cannot compare a time with its own clock.
 */
export interface Store<Tx = undefined> {
  once<T>(event: EventRef, work: (context: WorkContext<Tx>) => Promise<T>): Promise<OnceOutcome<T>>
  /**
   * Asks the backend and describes what the store guarantees. Throws `ConfigurationError` if it cannot keep the
   * guarantee.
   */
  check(): Promise<StoreGuarantee>
  /** Deletes up to `limit` events done before a time whose own retention has passed; resolves to how many. */
  prune(doneBefore: Date, limit: number): Promise<number>
  /** Releases what the store opened itself, never a client that the user passed in. */
  close(): Promise<void>
  /**
   * `false` if no other instance sees the events of this one, such as a store in memory. Absent: every instance over
   * one backend sees the same events.
   */
  readonly isShared?: false
  /**
   * How many connections the store may use at the same time. A running handler holds one, and deliveries and the queue need
   * three more. Absent: not known, or handlers hold none.
   */
  readonly connections?: number
  /** The inbox of a store that keeps whole events. Absent if the store keeps only ids. */
  readonly inbox?: Inbox<Tx>
}

/** What a store guarantees, as text for an operator. */
export interface StoreGuarantee {
  /** Such as `redis 7.2`. */
  readonly store: string
  /** Who shares the events: `this process only`, `every process on this Redis`. */
  readonly scope: string
  /** Whether acknowledged events survive the death of this process: `yes`, or `no, because ...`. */
  readonly processCrash: string
  /** Whether they survive the death of the store’s host. */
  readonly hostCrash: string
  /** How often a handler can run for one event, such as `once, unless ...`. */
  readonly runs: string
  /** Anything else an operator should know beforehand. */
  readonly notes?: readonly string[]
  /** What an operator should correct. `start()` logs each in a line of its own. */
  readonly warnings?: readonly string[]
}
