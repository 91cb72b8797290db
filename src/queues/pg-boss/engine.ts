import type { ListedJob } from '../../queue/job-runner.js'

/** The methods used of a started `PgBoss`, version 10, 11 or 12. */
export interface PgBossClient {
  createQueue(name: string): Promise<unknown>
  getQueue(name: string): Promise<unknown>
  send(name: string, data: object, options: object): Promise<string | null>
  fetch(name: string, options: object): Promise<readonly FetchedJob[]>
  complete(name: string, id: string, data: object): Promise<unknown>
  fail(name: string, id: string, data: object): Promise<unknown>
  getJobById(name: string, id: string): Promise<{ readonly state: string } | null>
  on?(event: 'error', listener: (error: Error) => void): unknown
}

/** A job as pg-boss hands it out. */
export interface FetchedJob {
  readonly id: string
  readonly data: unknown
}

const tenYears = 10 * 365 * 86_400

/**
 * Said with every job, so that it holds whatever the queue or the `PgBoss` was created with: pg-boss tries a job three
 * times, crashes counted, and drops what has waited for 14 days. Ours waits until it is done or its event is dead, and
 * that the inbox decides.
 */
export const sendOptions = (takeOverSeconds: number) => ({
  retryLimit: 2 ** 31 - 1,
  retryDelay: 2,
  retryBackoff: false,
  expireInSeconds: takeOverSeconds,
  retentionSeconds: tenYears,
})

/**
 * The job as `jsonb`, which a person can query; as text within it where it holds what `jsonb` cannot: a zero character,
 * or half of a surrogate pair.
 */
export function toData(job: ListedJob): object {
  const text = JSON.stringify(job)
  return /\\u(0000|d[89a-f]..)/.test(text) ? { text } : job
}

export function fromData(data: unknown): ListedJob {
  const { text } = data as { text?: string }
  return text === undefined ? (data as ListedJob) : JSON.parse(text)
}
