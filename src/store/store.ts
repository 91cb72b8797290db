import type { EventRef } from './event-ref.js'
import type { Inbox } from './inbox.js'

/** What a store hands to the work it lets run. */
export interface WorkContext<Tx = undefined> {
  /** The transaction in which the event is marked done; `undefined` where the store has none. */
  readonly tx: Tx
  /** 1 for the first time this event is worked on, growing with every claim. */
  readonly attempt: number
  /** Aborts when the claim is lost to another holder. */
  readonly signal: AbortSignal
}

export type OnceOutcome<T> =
  /** The work ran, and the event is marked done. */
  | { readonly state: 'done'; readonly value: T; readonly attempt: number }
  /** It was done before; `contentHash` is what was done then. */
  | { readonly state: 'duplicate'; readonly contentHash: string }
  /** Somebody else holds the claim. */
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }
  /** The work ran, but the claim had passed to another holder before it could be marked done. */
  | { readonly state: 'lost' }

/**
 * Who may run an event. Its laws, which `storeSuite` of `webhook-inbox/testing` checks:
 *
 * - Of any number of concurrent calls for one key, on any number of instances over one backend, one runs its work.
 * - A key whose work resolved is `duplicate` from then on, until its retention has passed, whatever happens.
 * - A key whose work rejected is free again, and `once` rejects with the same error.
 * - A key whose holder died is free again when its lease has passed, and not before.
 * - A holder whose claim has passed on can change nothing any more.
 * - `once` rejects when the backend cannot answer; it never runs the work without a claim.
 * - Keys are opaque. Time is the backend’s, never this process’s.
 */
export interface Store<Tx = undefined> {
  once<T>(event: EventRef, work: (context: WorkContext<Tx>) => Promise<T>): Promise<OnceOutcome<T>>
  /** What the store promises, asked of the backend. Throws `ConfigurationError` where it cannot keep a promise. */
  check(): Promise<StoreGuarantee>
  /** Forgets up to `limit` events done before a time; resolves to how many. */
  prune(doneBefore: Date, limit: number): Promise<number>
  /** Releases what the store itself has opened, never a client that the user brought. */
  close(): Promise<void>
  /**
   * `false` where no other instance sees the events of this one, such as a store in memory. Absent: every instance over
   * one backend sees the same events.
   */
  readonly isShared?: false
  /** What a store that keeps whole events offers besides. Absent on one that remembers only ids. */
  readonly inbox?: Inbox<Tx>
}

/** A promise in words that an operator can hold the store to. */
export interface StoreGuarantee {
  /** Such as `redis 7.2`. */
  readonly store: string
  /** Who shares the memory: `this process only`, `every process on this Redis`. */
  readonly scope: string
  /** Whether what was acknowledged is remembered when this process dies: `yes`, or `no, because ...`. */
  readonly processCrash: string
  /** The same for the death of the store’s host. */
  readonly hostCrash: string
  /** How often a handler can run for one event, such as `once, unless ...`. */
  readonly runs: string
  /** Anything else worth knowing before it happens. */
  readonly notes?: readonly string[]
}
