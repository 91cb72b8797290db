import type { StoredEvent } from '../store/inbox.js'
import type { Job } from './queue.js'

/**
 * A job in the list of an engine. The number of failures at that time distinguishes it from earlier jobs of the event.
 */
export interface ListedJob extends Job {
  readonly failures: number
}

/**
 * The rank of a job in the list of an engine, a higher one first. An engine runs the jobs of one rank in the order in which they were
 * added. So each priority has a second rank for the oldest events, whose jobs the sweep adds late.
 */
export const rankOf = (priority = 0, isOldest = false): number => 2 * priority + (isOldest ? 1 : 0)

/** The job of an event as the inbox has it. */
export const toJob = ({ key, type, endpoint, generation, failures, resource }: StoredEvent): ListedJob => ({
  key,
  type,
  endpoint,
  generation,
  failures,
  resource,
})

/** The result of a job. */
export type JobEnd =
  /** Its event is done, or another job continues with it. */
  | { readonly state: 'over' }
  /** It failed, and the inbox has noted that. The event is due again after the pause. */
  | { readonly state: 'failed'; readonly error: unknown; readonly pauseSeconds: number }
  /** It failed for the last time, and its event is dead. */
  | { readonly state: 'dead'; readonly error: unknown }
  /** It is held back, or its pause has not ended. Without a time, `Queue.resumed` says when it may run. It costs no attempt. */
  | {
      readonly state: 'held'
      readonly error: unknown
      readonly retryAfterSeconds?: number | undefined
      readonly isStillFound: boolean
      /** The time of the next attempt, if it waits for that. */
      readonly retryAt?: string | undefined
    }
  /** Not called: another process runs the event, or the store did not answer. Does not count as an attempt. */
  | {
      readonly state: 'untried'
      readonly error: unknown
      /** Another process runs the event, or has tried it since it was found. */
      readonly isElsewhere: boolean
    }

/** How an engine that keeps its own list of jobs adds to it. */
export interface JobList {
  /** Adds the next attempt of a job that failed. Called before the inbox notes the failure. */
  addNextAttempt(job: ListedJob, pauseSeconds: number): Promise<unknown>
  /** Adds a job that can run immediately. */
  add(job: ListedJob): Promise<unknown>
}
