import { type ListedJob, rankOf } from '../../queue/listed-job.js'

/** The methods used of a started `PgBoss`, version 10, 11 or 12. */
export interface PgBossClient {
  createQueue(name: string): Promise<unknown>
  getQueue(name: string): Promise<unknown>
  send(name: string, data: object, options: object): Promise<string | null>
  fetch(name: string, options: object): Promise<readonly FetchedJob[]>
  complete(name: string, id: string, data: object): Promise<unknown>
  fail(name: string, id: string, data: object): Promise<unknown>
  getJobById(name: string, id: string): Promise<{ readonly state: string } | null>
  deleteJob(name: string, id: string): Promise<unknown>
  on?(event: 'error', listener: (error: Error) => void): unknown
}

/** A job as pg-boss hands it out. */
export interface FetchedJob {
  readonly id: string
  readonly data: unknown
}

const tenYears = 10 * 365 * 86_400

/**
 * Sent with every job, so that the defaults of the queue or the `PgBoss` do not apply. By default pg-boss tries a job
 * three times, counts crashes, and drops a job after 14 days. Our jobs stay until the inbox says that the event is done
 * or dead.
 */
export const sendOptions = (takeOverSeconds: number, priority: number | undefined, isOldest = false) => ({
  ...((priority !== undefined || isOldest) && { priority: rankOf(priority, isOldest) }),
  retryLimit: 2 ** 31 - 1,
  retryDelay: 2,
  retryBackoff: false,
  expireInSeconds: takeOverSeconds,
  retentionSeconds: tenYears,
})

/**
 * The job as `jsonb`, so that a person can query it. `jsonb` cannot hold a zero character or a lone surrogate. A job
 * with one of these is stored as a JSON string.
 */
export function toData(job: ListedJob): object {
  const text = JSON.stringify(job)
  return /\\u(0000|d[89a-f]..)/.test(text) ? { text } : job
}

/** The job that {@link toData} wrote. `undefined` for the data of a job that another program has sent to the queue. */
export function fromData(data: unknown): ListedJob | undefined {
  try {
    const { text } = data as { readonly text?: string }
    const job: Partial<ListedJob> = text === undefined ? data : JSON.parse(text)
    return typeof job.key === 'string' ? (job as ListedJob) : undefined
  } catch {
    return undefined
  }
}
