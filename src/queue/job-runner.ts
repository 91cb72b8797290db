import { JobNotDone, StoreError } from '../errors.js'
import type { Filled } from '../given-options.js'
import { type FailureCause, fingerprintOf } from '../store/fingerprint.js'
import type { FailedAttempt, Inbox, StoredEvent } from '../store/inbox.js'
import type { Retry } from '../timing/backoff.js'
import type { Shutdown } from '../timing/shutdown.js'
import { FailureNotes } from './failure-notes.js'
import type { JobEnd, JobList, ListedJob } from './listed-job.js'
import { toJob } from './listed-job.js'
import { lostTooOften } from './lost-attempts.js'
import { nextAttempt } from './next-attempt.js'
import { isOpen, isPaused, pauseLeft, unnotedFailure } from './open-event.js'
import { type Job, JobHeld, type Worker } from './queue.js'

/** Where a job comes from: the list of its engine, or a search of the inbox. */
interface Origin {
  readonly list?: JobList
  readonly found?: StoredEvent
  readonly deaths?: number | undefined
}

export interface JobRunnerSettings {
  readonly worker: Worker
  readonly inbox: Inbox<unknown>
  readonly retry: Filled<Retry>
  /** How many jobs the engine runs concurrently. */
  readonly concurrency: number
  /** Ends when the consumer stops. */
  readonly shutdown: Shutdown
  /** Called for errors that are retried. */
  readonly onError: (error: unknown) => void
}

/** A job keeps its slot while its event waits at most this long. The job of the next attempt is often a moment early. */
const longestWaitSeconds = 0.25

/** Tells a worker that the event must not run for this job. */
class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted'
  /** `end` ends the job. The worker has no claim of the event any more when it is called. */
  constructor(readonly end: () => JobEnd | Promise<JobEnd>) {
    super('the event must not run for this job')
  }
}

/** Runs jobs, and notes their failures in the inbox, which counts them. */
export class JobRunner {
  readonly #settings: JobRunnerSettings
  readonly #notes: FailureNotes

  constructor(settings: JobRunnerSettings) {
    this.#settings = settings
    this.#notes = new FailureNotes(settings)
  }

  /** Runs an event that an engine without a list of its own has found in the inbox. */
  run(found: StoredEvent): Promise<JobEnd> {
    return this.#safely(async () => {
      const whole = await this.#whole(found)
      return whole ? this.#run(toJob(whole), { found: whole }) : { state: 'over' }
    })
  }

  /** With its body, if the search left it out. `undefined` if the event has been deleted or replaced since. */
  async #whole(found: StoredEvent): Promise<StoredEvent | undefined> {
    if (found.bodyBytes === undefined) {
      return found
    }
    const stored = await this.#settings.inbox.read(found.key)
    const { bodyBytes: _, ...facts } = found
    return stored?.contentHash === found.contentHash ? { ...facts, body: stored.body } : undefined
  }

  /**
   * Runs a job of an engine that keeps its own list. If the event waits for an earlier event of its resource, the job
   * ends immediately. When the earlier event ends, its job adds the waiting event again. It always finds the waiting
   * event, because an event is committed before its job looks for earlier ones. If a crash leaves an event without a
   * job, the sweep finds it. `deaths` is how often the process of this job has ended in it, if the engine knows.
   */
  take(job: ListedJob, list: JobList, deaths?: number): Promise<JobEnd> {
    return this.#safely(async () => {
      if (job.resource === undefined) {
        return this.#run(job, { list, deaths })
      }
      const { inbox } = this.#settings
      const first = await inbox.nextForResource(job.key)
      if (first && first.key !== job.key) {
        return { state: 'over' }
      }
      const end = await this.#run(job, { list, deaths })
      if (end.state === 'over' || end.state === 'dead') {
        const next = await inbox.nextForResource(job.key)
        // An event that waits for its next attempt has a job already.
        if (next && next.key !== job.key && !isPaused(next)) {
          await list.add(toJob(next))
        }
      }
      return end
    })
  }

  async #safely(run: () => Promise<JobEnd>): Promise<JobEnd> {
    try {
      return await run()
    } catch (error) {
      this.#settings.onError(error)
      return { state: 'untried', error, isElsewhere: false }
    }
  }

  async #run(job: ListedJob, origin: Origin): Promise<JobEnd> {
    const { worker, inbox } = this.#settings
    try {
      await worker.run(job, origin.found, (event) => this.#admit(event, job, origin))
      return { state: 'over' }
    } catch (error) {
      if (error instanceof NotAdmitted) {
        return error.end()
      }
      if (error instanceof JobHeld) {
        const { retryAfterSeconds, isStillFound } = error
        return { state: 'held', error, retryAfterSeconds, isStillFound }
      }
      if (!isAttempt(error)) {
        return { state: 'untried', error, isElsewhere: isElsewhere(error) }
      }
      const stored = await inbox.read(job.key)
      // Also if it was replayed while this worker was stopped or cut off.
      if (!isOpen(stored) || stored.generation !== job.generation || stored.failures > job.failures) {
        return { state: 'over' }
      }
      return this.#fail(stored, job, origin, error, await fingerprintOf(error))
    }
  }

  /** Counts a failure, and adds the job of the next attempt. */
  async #fail(
    event: StoredEvent,
    job: ListedJob,
    { list }: Origin,
    error: unknown,
    cause: FailureCause,
  ): Promise<JobEnd> {
    const { worker, inbox, retry } = this.#settings
    const next = await nextAttempt(event, error, retry)
    if (!next) {
      return this.#markDead(event, job, error, cause)
    }
    const { pauseSeconds } = next
    const failures = event.failures + 1
    // The job comes first: after a crash in between, an extra job is harmless, but a missing job is not.
    await list?.addNextAttempt({ ...job, failures }, pauseSeconds)
    const postpone = () => inbox.postpone(job.key, pauseSeconds, messageOf(error), cause, event)
    const isNoted = await this.#notes.note(event, error, postpone)
    if (!isNoted) {
      return { state: 'over' }
    }
    worker.postponed?.(event, next)
    return { state: 'failed', error, pauseSeconds }
  }

  /**
   * Counts the failure of an attempt whose worker died before it could. The event stays in its group. Does not count for the circuit
   * of the type, because the worker may have done that.
   */
  async #failLater(
    event: StoredEvent,
    job: ListedJob,
    origin: Origin,
    { error = 'failed', group }: FailedAttempt,
  ): Promise<JobEnd> {
    const cause = await fingerprintOf(error)
    const fingerprint = group?.slice(event.endpoint.length + 1) ?? cause.fingerprint
    return this.#fail(event, job, origin, new JobNotDone(error), { ...cause, fingerprint })
  }

  /**
   * A job can come before the pause of its event has ended: it was added before the failure was noted, or by a worker that
   * died before it could note it. Waits for a short rest of the pause. Otherwise resolves to how the job ends.
   */
  async #waitForRetry(event: StoredEvent): Promise<JobEnd | undefined> {
    const { shutdown } = this.#settings
    const seconds = pauseLeft(event)
    if (isPaused(event) && unnotedFailure(event)) {
      const error = new JobNotDone('the event has just failed in another worker', false)
      return { state: 'untried', error, isElsewhere: true }
    }
    if (seconds > longestWaitSeconds) {
      const error = new JobNotDone('the event waits for its next attempt', false)
      return { state: 'held', error, retryAfterSeconds: seconds, isStillFound: false, retryAt: event.retryAt }
    }
    if (seconds === 0) {
      return undefined
    }
    await shutdown.sleep(seconds)
    if (shutdown.hasBegun) {
      const error = new JobNotDone('the queue stops before the next attempt of the event', false)
      return { state: 'untried', error, isElsewhere: false }
    }
    return undefined
  }

  /** Rejects with {@link NotAdmitted} if the event must not run for this job. */
  async #admit(given: StoredEvent, job: ListedJob, origin: Origin): Promise<void> {
    const { inbox, retry } = this.#settings
    // A search leaves the attempts out. An event that was never claimed has none.
    const event = (origin.found && given.attempt > 0 && (await inbox.read(given.key))) || given
    // The failure of an old job would not be counted.
    if (event.generation !== job.generation || event.failures > job.failures) {
      throw new NotAdmitted(() => ({ state: 'over' }))
    }
    const early = await this.#waitForRetry(event)
    if (early) {
      throw new NotAdmitted(() => early)
    }
    const unnoted = unnotedFailure(event)
    if (unnoted && !unnoted.isUncounted) {
      throw new NotAdmitted(() => this.#failLater(event, job, origin, unnoted))
    }
    const lost = isOpen(event) && lostTooOften(retry, event, origin.deaths)
    if (lost) {
      throw new NotAdmitted(() => this.#markDead(event, job, lost))
    }
  }

  async #markDead(event: StoredEvent, job: Job, error: unknown, cause?: FailureCause): Promise<JobEnd> {
    const { generation, failures } = event
    const seen = { ...job, generation, failures }
    const note = () => this.#settings.worker.markDead(seen, error, cause)
    const isNoted = await this.#notes.note(event, error, note, { isLast: true })
    return isNoted ? { state: 'dead', error } : { state: 'over' }
  }
}

/** Whether an error means that the handler was tried. */
function isAttempt(error: unknown): boolean {
  return error instanceof JobNotDone ? error.isAttempt : !(error instanceof StoreError)
}

const isElsewhere = (error: unknown) => error instanceof JobNotDone && error.code === 'in_progress'

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
