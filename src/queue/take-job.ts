import { StoreError } from '../errors.js'
import type { Inbox, StoredEvent } from '../store/inbox.js'
import { pauseAfter, type Retry } from '../timing/backoff.js'
import { noteFailure } from './note-failure.js'
import { type Job, JobNotDone, type Worker } from './queue.js'

/** A job as an engine lists it: with how often its event had failed by then, which tells it from those before it. */
export interface ListedJob extends Job {
  readonly failures: number
}

/** The job of an event as the inbox has it. */
export const toJob = ({ key, type, endpoint, generation, failures, resource }: StoredEvent): ListedJob => ({
  key,
  type,
  endpoint,
  generation,
  failures,
  resource,
})

/** What became of a job. */
export type JobEnd =
  /**
   * Its event is done, or another job goes on with it: there is nothing left to do. An event that waits for an earlier
   * one of its resource gets another job when that one has ended.
   */
  | { readonly state: 'over' }
  /** It failed, which the inbox has noted; `goOn` has seen to the next attempt. */
  | { readonly state: 'failed'; readonly error: unknown; readonly pauseSeconds: number }
  /** It failed for the last time, and its event is buried. */
  | { readonly state: 'dead'; readonly error: unknown }
  /** Nobody could try it: another holds the event, or the store could not say. It costs no attempt. */
  | { readonly state: 'untried'; readonly error: unknown }

/** What it takes to take a job of an engine that keeps a list of its own. */
export interface JobTaker {
  readonly worker: Worker
  readonly inbox: Inbox<unknown>
  readonly retry: Required<Retry>
  readonly signal: AbortSignal
  /** Aborts when jobs are to end soon. */
  readonly stopping: AbortSignal
  /** Lists a job, to be run at once. */
  list(job: ListedJob): Promise<unknown>
  /** Told of what is tried again. */
  readonly onError: (error: unknown) => void
}

/**
 * Runs a job once, if its event need not wait for another. A job that waits costs one look: it ends, and whoever ends the
 * one before lists it anew. Neither can miss the other: who finds the event before it not over has found its own event
 * committed, so that it is there to be found when the other looks, after its end. What a crash in between leaves without
 * a job is due, and the sweep finds it.
 */
export async function takeJob(
  taker: JobTaker,
  job: ListedJob,
  goOn: (next: ListedJob, pauseSeconds: number) => Promise<unknown>,
): Promise<JobEnd> {
  if (job.resource === undefined) return runJob(taker, job, goOn)
  const { inbox, list } = taker
  const first = await inbox.nextForResource(job.key)
  if (first && first.key !== job.key) return { state: 'over' }
  const end = await runJob(taker, job, goOn)
  if (end.state === 'over' || end.state === 'dead') {
    const next = await inbox.nextForResource(job.key)
    // One that waits for its next attempt has a job for that.
    if (next && next.key !== job.key && !isPaused(next)) await list(toJob(next))
  }
  return end
}

const isPaused = ({ retryAt }: StoredEvent) => retryAt !== undefined && Date.parse(retryAt) > Date.now()

/**
 * Runs a job once and notes a failure in the inbox, which counts them: an engine counts crashes too, and an event must
 * not be dead for those. `goOn` lists what comes next, before the failure is noted: a crash in between makes a job too
 * many, which finds that another goes on, and not one too few.
 */
async function runJob(
  { worker, inbox, retry, signal, stopping, onError }: JobTaker,
  job: ListedJob,
  goOn: (next: ListedJob, pauseSeconds: number) => Promise<unknown>,
): Promise<JobEnd> {
  try {
    await worker.run(job, signal)
    return { state: 'over' }
  } catch (error) {
    if (!isAttempt(error)) return { state: 'untried', error }
    const stored = await inbox.read(job.key)
    if (!stored || stored.state === 'done' || stored.state === 'dead' || stored.failures > job.failures) {
      return { state: 'over' }
    }
    const failures = stored.failures + 1
    if (failures >= retry.attempts) {
      await noteFailure(() => worker.markDead(job, error), stopping, onError)
      return { state: 'dead', error }
    }
    const pauseSeconds = pauseAfter(failures, retry)
    await goOn({ ...job, failures }, pauseSeconds)
    const note = () => inbox.postpone(job.key, pauseSeconds, describeError(error))
    await noteFailure(note, stopping, onError)
    return { state: 'failed', error, pauseSeconds }
  }
}

/** Whether an error says that the handler was tried, and not only that the store was not there. */
export function isAttempt(error: unknown): boolean {
  return error instanceof JobNotDone ? error.isAttempt : !(error instanceof StoreError)
}

export const describeError = (error: unknown) => (error instanceof Error ? error.message : String(error))
