import { ConfigurationError } from '../errors.js'
import { defaultRetry, type Retry } from '../queue/backoff.js'
import type { Job, Queue, Worker } from '../queue/queue.js'

// biome-ignore lint/suspicious/noExplicitAny: the versions of pg-boss and of drivers type jobs and rows differently
type Loose = any

/** What is needed of a started `PgBoss` (10 or later). */
export interface PgBossClient {
  createQueue(name: string, options: Loose): Promise<unknown>
  send(name: string, data: object, options: Loose): Promise<string | null>
  work(name: string, options: Loose, handler: (jobs: Loose) => Promise<Loose>): Promise<string>
  offWork(worker: Loose): Promise<unknown>
}

/** A transaction of the store, as far as pg-boss needs it. */
export interface SqlTransaction {
  query(text: string, values?: Loose[]): Promise<{ rows: Loose[] }>
}

export interface PgBossQueueOptions {
  /** A started `PgBoss` on the database of the store: only then do event and job commit together. */
  readonly boss: PgBossClient
  /** The queue’s name. Default `'webhook-inbox'`. */
  readonly name?: string
  /** How many jobs this process runs at once. Default 10. */
  readonly concurrency?: number
  /** How often idle pollers look for jobs, in seconds; pg-boss allows 0.5 and more. Default 0.5. */
  readonly pollSeconds?: number
  /** How failed jobs are tried again; pg-boss doubles the first pause and has no longest one. */
  readonly retry?: Omit<Retry, 'longestPauseSeconds'>
  /** After how many seconds the job of a process that died is taken over. Default 300. */
  readonly takeOverSeconds?: number
}

/** pg-boss drops jobs that waited for 14 days; ours wait until they are done or dead. */
const retentionDays = 3650

/**
 * Runs events from pg-boss: the job commits with the event, and any number of processes on any number of machines
 * consume. Its unsafe defaults are overridden: three immediate attempts, and dropping what waited for 14 days.
 */
export function pgBossQueue(options: PgBossQueueOptions): Queue<SqlTransaction> {
  const { boss, name = 'webhook-inbox', concurrency = 10, pollSeconds = 0.5, takeOverSeconds = 300 } = options
  if (typeof boss?.send !== 'function') {
    throw new ConfigurationError('invalid_option', 'pgBossQueue needs boss, a started PgBoss')
  }
  const { attempts, firstPauseSeconds } = { ...defaultRetry, ...options.retry }
  const deadLetter = `${name}-dead`
  const policy = {
    retryLimit: attempts - 1,
    retryDelay: Math.max(1, Math.round(firstPauseSeconds)),
    retryBackoff: true,
    expireInSeconds: takeOverSeconds,
    retentionDays,
  }
  let created: Promise<void> | undefined

  function createQueues(): Promise<void> {
    created ??= (async () => {
      await boss.createQueue(deadLetter, {
        name: deadLetter,
        retentionDays,
        retryLimit: 1000,
        retryBackoff: true,
      })
      await boss.createQueue(name, { name, deadLetter, ...policy })
    })().catch((error: unknown) => {
      created = undefined
      throw error
    })
    return created
  }

  return {
    guarantee: 'pg-boss, shared by every process on this database; jobs commit with their events',

    async enqueue(job, tx) {
      await createQueues()
      const db = { executeSql: (text: string, values: unknown[]) => tx.query(text, values) }
      await boss.send(name, job, { ...policy, deadLetter, db })
    },

    async consume(worker) {
      await createQueues()
      const stopping = new AbortController()
      const options = { batchSize: 1, pollingIntervalSeconds: pollSeconds }
      const underWay = new Set<Promise<void>>()
      const track = (run: Promise<void>) => {
        underWay.add(run)
        return run.finally(() => underWay.delete(run))
      }
      const run = (jobs: { data: Job }[]) => track(runEach(jobs, worker, stopping.signal))
      const bury = (jobs: { data: Job }[]) => track(buryEach(jobs, worker))

      const ids = [await boss.work(deadLetter, options, bury)]
      for (let i = 0; i < concurrency; i++) ids.push(await boss.work(name, options, run))
      return async () => {
        await Promise.all(ids.map((id) => boss.offWork({ id })))
        await Promise.allSettled([...underWay])
        stopping.abort()
      }
    },
  }
}

async function runEach(jobs: { data: Job }[], worker: Worker, signal: AbortSignal): Promise<void> {
  for (const { data } of jobs) await worker.run(data, signal)
}

async function buryEach(jobs: { data: Job }[], worker: Worker): Promise<void> {
  for (const { data } of jobs) await worker.bury(data, new Error('its attempts are exhausted'))
}
