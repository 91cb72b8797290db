import type { Inbox } from '../store/inbox.js'

/** What a queue carries: enough to find the event, never the event itself. */
export interface Job {
  /** The event’s dedupe key. */
  readonly key: string
  readonly type: string
  /** The endpoint it arrived at. */
  readonly endpoint: string
  /** 0, or one more for each replay: makes the job of a replay another job. */
  readonly generation: number
  /** What the event is about, where the receiver was told how to tell: it then waits for the earlier ones. */
  readonly resource?: string | undefined
}

/** Why a job must be tried again. */
export class JobNotDone extends Error {
  override readonly name = 'JobNotDone'
  constructor(
    message: string,
    /** False where nothing was tried: another holds the event, or the store could not say. */
    readonly isAttempt = true,
  ) {
    super(message)
  }
}

/** What a queue calls for its jobs. */
export interface Worker {
  /** The endpoint whose jobs it can run: another endpoint has other handlers, even on the same store. */
  readonly endpoint: string
  /**
   * Runs the job’s event once. Does nothing where the event is done, dead or pruned. Rejects with {@link JobNotDone}
   * where it must be tried again later.
   */
  run(job: Job): Promise<void>
  /** Marks the job’s event dead: its attempts are exhausted. */
  markDead(job: Job, error: unknown): Promise<void>
}

/**
 * When an event is run. A queue schedules and never decides what is a duplicate: the worker asks the store again, so
 * running a job twice does no harm. Its laws, which `queueSuite` checks:
 *
 * - A job that was enqueued in a transaction that committed is run, also after a crash of the consumer.
 * - Nothing waits for the engine inside a transaction of the store that the engine cannot join.
 * - A job whose run rejected is run again, after a growing pause, until its attempts are exhausted; then it is buried.
 * - The function that `consume` resolves to stops taking jobs and resolves when those under way have ended.
 */
export interface Queue<Tx = unknown> {
  /**
   * Writes a job through `tx`, so that event and job commit together. Absent where the engine cannot join the
   * store’s transaction.
   */
  enqueue?(job: Job, tx: Tx): Promise<void>
  /**
   * Called when the event of a job has committed: the time to wake a consumer, or to add the job where `enqueue` is
   * absent. Returns at once and never throws. A crash may prevent the call, so the engine must also find events in the
   * inbox that have no job.
   */
  committed?(job: Job): void
  /**
   * Checks all that the first delivery to an endpoint needs, such as that the engine is started. `receiver.start()` calls
   * it, with or without a consumer. Rejects with `ConfigurationError` `queue_not_started` or with `StoreError`.
   */
  check?(endpoint: string): Promise<void>
  /** Starts running jobs. `inbox` is for engines that keep no list of their own. */
  consume(worker: Worker, inbox: Inbox<Tx>): Promise<() => Promise<void>>
  /** Releases what it has opened to enqueue, once nothing is enqueued any more; a later `enqueue` opens it again. */
  close?(): Promise<void>
  /** In words: who shares the queue, and what becomes of jobs in a crash. */
  readonly guarantee: string
}
