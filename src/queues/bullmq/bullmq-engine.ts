import type { Filled } from '../../given-options.js'
import type { ListedJob } from '../../queue/listed-job.js'
import type { Retry } from '../../timing/backoff.js'

// biome-ignore lint/suspicious/noExplicitAny: the classes of BullMQ are generic over what they are given
type Loose = any

/** The classes `Queue` and `Worker` of BullMQ, as far as they are used. */
export interface BullMq {
  readonly Queue: new (name: string, options: Loose) => BullQueue
  readonly Worker: new (name: string, run: (job: Loose) => Promise<Loose>, options: Loose) => BullWorker
}

export interface BullQueue {
  /** Resolves to the job that is kept: an earlier one if the new one is ignored. */
  add(name: string, data: Loose, options: Loose): Promise<KeptJob>
  getJob(id: string): Promise<unknown>
  removeDeduplicationKey(id: string): Promise<unknown>
  waitUntilReady(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  close(): Promise<void>
}

export interface KeptJob {
  readonly id?: string | undefined
  /** Lets a job run that waits for a time. Rejects if it does not. */
  promote(): Promise<unknown>
}

export interface BullWorker {
  waitUntilReady(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  close(force?: boolean): Promise<void>
}

/** A job as BullMQ hands it out. */
export interface BullJob {
  readonly data: ListedJob
  /** How often its process ended while it ran, or did not renew its lock. */
  readonly stalledCounter?: number
  updateData(data: ListedJob): Promise<void>
}

export interface BullMqSettings extends BullMq {
  readonly connection: object
  readonly name: string
  readonly prefix: string | undefined
  readonly concurrency: number
  readonly retry: Filled<Retry>
  readonly takeOverSeconds: number
  readonly sweepSeconds: number
  readonly onError: (error: unknown) => void
}

/** Leaves `prefix` out when it is undefined: BullMQ would use that as a prefix. */
export const connectionOptions = ({ connection, prefix }: BullMqSettings) => ({
  connection,
  ...(prefix !== undefined && { prefix }),
})

const weekSeconds = 7 * 86_400

/** By default BullMQ tries a job once. Our jobs are tried until the inbox says that the event is done or dead. */
export const jobOptions = {
  attempts: 2 ** 31 - 1,
  backoff: { type: 'custom' },
  stackTraceLimit: 3,
}

/**
 * By default BullMQ keeps every job forever. We keep the jobs of dead events for a week, for dashboards. A worker says that once, while
 * each job would carry it to Redis and back.
 */
export const keptJobs = {
  removeOnComplete: { count: 0 },
  removeOnFail: { age: weekSeconds, count: 10_000 },
}
