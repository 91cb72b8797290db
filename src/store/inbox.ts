import type { Code } from '../codes.js'
import type { EventRef } from './event-ref.js'

/**
 * Where an event in the inbox stands:
 * `accepted` (committed, not yet run) -> `done`; `failed` (will be tried again); `dead` (will not, until replayed).
 */
export type InboxState = 'accepted' | 'failed' | 'done' | 'dead'

/** One event as the inbox keeps it. Times are RFC 3339, by the database’s clock. */
export interface StoredEvent {
  readonly key: string
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly contentHash: string
  readonly body: Uint8Array
  readonly state: InboxState
  /** How often it was claimed and ended, one way or the other, since it was accepted or last replayed. */
  readonly attempt: number
  /** How often it was postponed since it was accepted or last replayed. A crash of its holder does not count. */
  readonly failures: number
  /** 0 for the sender’s own delivery; one more for each replay. */
  readonly generation: number
  readonly receivedAt: string
  readonly doneAt?: string
  /** When `failed`: not before this time. */
  readonly retryAt?: string
  /** Why the last attempt failed: the error’s name and message. */
  readonly lastError?: string
  /** What it is about, where it was accepted with that: it is run in order with the others of its endpoint. */
  readonly resource?: string
}

/** An authentic delivery that cannot be acted on, kept for a person to look at. */
export interface QuarantinedDelivery {
  readonly endpoint: string
  /** Why. */
  readonly code: Code
  /** Where the body could be read that far. */
  readonly eventId?: string
  readonly contentHash: string
  readonly body: Uint8Array
}

export interface StoredQuarantine extends QuarantinedDelivery {
  readonly receivedAt: string
  /** How often the same bytes arrived. */
  readonly deliveries: number
}

export type AcceptOutcome =
  /** It is committed now, and will be run. */
  | { readonly state: 'accepted' }
  /** It was committed before, with this content. */
  | { readonly state: 'duplicate'; readonly contentHash: string }
  /** Another delivery of it is being committed. */
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }

/** Who replayed an event and why; kept with it. */
export interface Audit {
  readonly reason: string
  readonly actor: string
}

export interface InboxQuery {
  /** Default: every state. */
  readonly state?: InboxState
  /** Default: every endpoint. */
  readonly endpoint?: string
  /** How many at most; default 100. */
  readonly limit?: number
  /** The `key` of the last event of the page before. */
  readonly after?: string
}

export interface InboxHealth {
  /** How many events are in each state. */
  readonly counts: Readonly<Record<InboxState | 'quarantined', number>>
  /** How long the oldest event that is neither done nor dead has waited, in seconds; 0 when none waits. */
  readonly oldestUnprocessedSeconds: number
}

/**
 * What a store that keeps the events themselves can do beside `once`. The laws, which `inboxSuite` checks:
 *
 * - `accept` resolves only after the commit; the event and what `enqueue` wrote through `tx` commit together. An
 *   `enqueue` that rejects leaves nothing.
 * - Nothing but `prune` deletes an event, and `prune` deletes only events that are done.
 * - `prune` forgets an event when its own retention has passed by the backend’s clock, whatever date it is given.
 * - `once` on an accepted or failed event claims it as if it were unseen; on a done one it is a duplicate.
 * - `once` keeps the event too, accepted before or not: as `done`, or, when its work rejected, as `failed` with the
 *   error’s name and message, however odd or long, cut to a length.
 * - An event that `once` has left as `failed`, and that no queue knows of, is accepted as if it were unseen.
 * - A dead event is run by nothing but a replay: `once` finds it `busy`. What is done is not undone by anything else.
 * - Of the events of one endpoint that were accepted with one resource, one is run at a time, and none before those
 *   accepted earlier are done or dead: until then `once` finds it `busy` at once. Of two that are accepted at the same
 *   moment either may be the earlier. A replayed event takes its old place: it waits for the one under way and goes
 *   before those accepted after it. A claim ends as it does elsewhere, so a dead process holds nobody up for longer.
 */
export interface Inbox<Tx = undefined> {
  /** `enqueue` is absent where the queue writes nothing: a store may then commit many events in one. */
  accept(event: EventRef, enqueue?: (tx: Tx) => Promise<void>): Promise<AcceptOutcome>
  /** The event under a key; `undefined` where none is committed. */
  read(key: string): Promise<StoredEvent | undefined>
  list(query: InboxQuery): Promise<StoredEvent[]>
  /**
   * Events whose time has come, oldest first, those held under a claim left out, and those that wait for an earlier one
   * of their resource: accepted ones, and failed ones whose `retryAt` has passed. Of one endpoint where one is given.
   */
  due(limit: number, endpoint?: string): Promise<StoredEvent[]>
  /**
   * The event whose turn it is among those of the resource of the event under a key: the earliest that is neither done
   * nor dead, be it this one. `undefined` where there is none, and where no event with a resource is kept under the key.
   */
  nextForResource(key: string): Promise<StoredEvent | undefined>
  /** Notes a failed attempt; `retryAfterSeconds` from now it is due again. */
  postpone(key: string, retryAfterSeconds: number, error: string): Promise<void>
  /** Gives an event up: it is `dead` until somebody replays it. */
  markDead(key: string, error: string): Promise<void>
  /** Makes an event `accepted` again under the next generation, which it resolves to; the audit commits with it. */
  requeue(
    key: string,
    audit: Audit,
    enqueue: (tx: Tx, generation: number) => Promise<void>,
  ): Promise<number | undefined>
  quarantine(delivery: QuarantinedDelivery): Promise<void>
  /** Newest first; of every endpoint unless one is named. */
  quarantined(limit: number, endpoint?: string): Promise<StoredQuarantine[]>
  /** Of the whole store, whatever the endpoint. */
  health(): Promise<InboxHealth>
}
