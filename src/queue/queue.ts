import type { FailureCause } from '../store/fingerprint.js'
import type { DueFilter, Inbox, StoredEvent } from '../store/inbox.js'
import type { NextAttempt } from './next-attempt.js'

/** What a queue carries: enough to find the event, but not the event itself. */
export interface Job {
  /** The event’s dedupe key. */
  readonly key: string
  readonly type: string
  /** The endpoint it arrived at. */
  readonly endpoint: string
  /** 0 at first, and one more after each replay. It distinguishes the job of a replay from earlier jobs. */
  readonly generation: number
  /** How many attempts of this generation have failed. Absent: none. A job with fewer than its event is an old one. */
  readonly failures?: number | undefined
  /** The resource of the event, if it has one. The event then waits for earlier events of this resource. */
  readonly resource?: string | undefined
  /** A higher one runs first, if the engine has priorities. Absent if the receiver has none. */
  readonly priority?: number | undefined
}

/** Why an event is held back. */
export type HoldReason = 'paused' | 'circuit_open' | 'rate_limited'

/** Tells a queue that an event may not run now. It was not tried. */
export class JobHeld extends Error {
  override readonly name = 'JobHeld'
  constructor(
    readonly reason: HoldReason,
    /** When to try again. Undefined for a pause without an end: `Queue.resumed` is called after it. */
    readonly retryAfterSeconds?: number,
    /** True if the searches that the worker gives do not leave the event out. */
    readonly isStillFound = false,
  ) {
    super(`the event is held back: ${reason}`)
  }
}

/** How an engine that searches the inbox should search it. */
export interface Searches {
  /** One search after the other, most urgent first, until enough is found. */
  readonly filters: readonly DueFilter[]
  /** When a limit allows more; 0 if none is known. */
  readonly wakeAfterSeconds: number
}

/** The resources at their limit, which every search of the worker leaves out. */
export const limitedOf = (worker: Pick<Worker, 'searches'>): readonly string[] =>
  worker.searches?.().filters[0]?.exceptResources ?? []

/** What a queue calls for its jobs. */
export interface Worker {
  /** The endpoint whose jobs it runs. Another endpoint has other handlers, even on the same store. */
  readonly endpoint: string
  /**
   * Runs the job’s event once. Does nothing if the event is done, dead or pruned. Rejects with {@link JobNotDone}
   * if it must be retried later, and with {@link JobHeld} if it is held back. `found` is the event that `inbox.due` has
   * just returned, so that it need not be read again. The claim detects whether it has changed since. `admit` is called with
   * the event when nothing holds it back. If that rejects, `run` rejects with the same error, and the event does not run.
   */
  run(job: Job, found?: StoredEvent, admit?: (event: StoredEvent) => Promise<void>): Promise<void>
  /** Called when an attempt has failed and the next one is noted. For the log. */
  postponed?(event: Pick<StoredEvent, 'id' | 'type'>, next: NextAttempt): void
  /** Marks the job’s event dead: its attempts are exhausted. Without `cause`, it is that of the error. */
  markDead(job: Job, error: unknown, cause?: FailureCause): Promise<void>
  /** For engines that search the inbox. Absent: one search for everything. */
  searches?(): Searches
  /** Whether `stop()` no longer waits for the handlers. Absent: never. */
  isAborted?(): boolean
  /** The priority of a type: a higher one first. `undefined` if no type has one. */
  priorityOf?(type: string): number | undefined
}

/**
 * Decides when an event runs. It never decides what is a duplicate: the worker asks the store again, so running a job
 * twice does no harm. `queueSuite` checks its laws.
 *
 * - A job that was enqueued in a committed transaction runs, even after a crash of the consumer.
 * - If the engine cannot join the transaction of the store, nothing waits for the engine inside this transaction.
 * - A job whose run rejects runs again after a growing pause. After its last attempt the worker marks its event dead.
 * - `consume` resolves to a function that ends the consumer. It takes no more jobs, and resolves when the running jobs end.
 */
export interface Queue<Tx = unknown> {
  /**
   * Called before each transaction in which `enqueue` is called: that of a delivery, a replay or a step of a bulk run. Open here
   * what `enqueue` needs besides `tx`. Inside the transactions it could wait forever for a connection of the same pool. Returns
   * immediately if nothing is missing.
   */
  prepare?(endpoint: string): Promise<void>
  /**
   * Writes a job through `tx`, so that event and job commit together. The store may commit several events in one transaction,
   * and calls it for one after the other. Absent if the engine cannot join the store’s transaction.
   */
  enqueue?(job: Job, tx: Tx): Promise<void>
  /**
   * Called when the event of a job has committed: wake a consumer, or add the job if `enqueue` is absent. Returns
   * immediately and never throws. A crash may prevent the call, so the engine must also find events in the
   * inbox that have no job.
   */
  committed?(job: Job): void
  /**
   * Called when events may run that were held back. An engine with its own list has dropped their jobs, and now searches the
   * inbox for these events. Returns immediately and never throws.
   */
  resumed?(): void
  /**
   * Checks the conditions for the first delivery to an endpoint, for example that the engine is started. `receiver.start()`
   * calls it, also with `consume: false`. Rejects with `ConfigurationError` `queue_not_started` or with `StoreError`.
   */
  check?(endpoint: string): Promise<void>
  /** Starts running jobs. `inbox` is for engines that keep no list of their own. */
  consume(worker: Worker, inbox: Inbox<Tx>): Promise<() => Promise<void>>
  /** Closes what was opened to add jobs. A later job opens it again. */
  close?(): Promise<void>
  /** How many events this process runs concurrently. Absent: not known. */
  readonly concurrency?: number
  /** How often it searches the inbox for due events. Absent if it keeps a list of jobs. For the sentence of `explain`. */
  readonly pollSeconds?: number
  /**
   * The durations of its options by name, in seconds. `start()` warns of those that are probably milliseconds. Absent: it
   * looks only at `pollSeconds`.
   */
  readonly durations?: Readonly<Record<string, number>>
  /** Text for `describe()`. It says which processes share the queue, and what happens to jobs after a crash. */
  readonly guarantee: string
}
