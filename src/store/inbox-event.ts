import type { FailedAttempt } from './failed-attempt.js'

/**
 * The state of an event in the inbox:
 * `accepted` (committed, not run yet) -> `done`; `failed` (retried later); `dead` (not run again until replayed).
 */
export type InboxState = 'accepted' | 'failed' | 'done' | 'dead'

/** One event as the inbox keeps it. Times are RFC 3339, by the database’s clock. */
export interface StoredEvent {
  readonly key: string
  readonly endpoint: string
  readonly id: string
  readonly type: string
  readonly createdAt: string
  /** The `contentHash` of the `EventRef` it was kept with. */
  readonly contentHash: string
  readonly body: Uint8Array
  /** The length of the body. Only if the query left the bodies out. */
  readonly bodyBytes?: number
  readonly state: InboxState
  /** How many claims of it have ended since it was accepted or last replayed. */
  readonly attempt: number
  /**
   * How often it was postponed or made dead since it was accepted or last replayed. A failure that no queue has counted yet, or an
   * attempt that recorded nothing because its process ended, is only in `attempts`.
   */
  readonly failures: number
  /** 0 for the sender’s own delivery; one more for each replay. */
  readonly generation: number
  readonly receivedAt: string
  /** When its delivery was quarantined. Only if it was released from there: then `receivedAt` is the time of the release. */
  readonly deliveredAt?: string
  /** When its work ended. `postgresStore` may be 20 ms early. */
  readonly doneAt?: string
  /** Only when `failed`: it is not due before this time. */
  readonly retryAt?: string
  /** Only when `failed`: whether `retryAt` was still to come when the store read the event, by the database’s clock. */
  readonly isBeforeRetry?: boolean
  /** Only if `isBeforeRetry`: how long it still waited for `retryAt` when the store read it, in seconds, by the database’s clock. */
  readonly retryInSeconds?: number
  /** Why the last attempt failed, such as the name and message of the error. */
  readonly lastError?: string
  /**
   * The attempts that did not succeed, and those that succeeded before a replay, oldest first, of every generation: the newest 20,
   * and those that left nothing. The first success stays. Only from `read`. Absent where there are none.
   */
  readonly attempts?: readonly FailedAttempt[]
  /** The group of failures that it belongs to, while it is `failed` or `dead`. */
  readonly group?: string
  /** The id of the event from which `replayEdited` copied this one. The sender has not signed the copy. */
  readonly parent?: string
  /** The id of the event that was edited first, for that event and all copies of it. Absent if none was edited. */
  readonly root?: string
  /** The resource it was accepted with. Events of one endpoint and one resource run in order. */
  readonly resource?: string
  /** The `traceContext` it was accepted with. A store that keeps none leaves it out. */
  readonly traceContext?: string
}

/** What a caller saw of an event before it decided to change it. */
export type SeenEvent = Pick<StoredEvent, 'state' | 'generation'>

/** How often an event had failed in its generation when a worker looked at it. */
export type FailureCount = Pick<StoredEvent, 'generation' | 'failures'>
