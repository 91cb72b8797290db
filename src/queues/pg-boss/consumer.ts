import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '#crypto'
import type { Worker } from '../../queue/queue.js'
import { startSweep } from '../../queue/sweep.js'
import { describeError, type JobEnd, type ListedJob, takeJob } from '../../queue/take-job.js'
import type { Inbox } from '../../store/inbox.js'
import { Alarm } from '../../timing/alarm.js'
import type { Retry } from '../../timing/backoff.js'
import { type FetchedJob, fromData, type PgBossClient, sendOptions, toData } from './engine.js'

export interface ConsumerSettings {
  readonly boss: PgBossClient
  readonly concurrency: number
  readonly pollSeconds: number
  readonly retry: Required<Retry>
  readonly takeOverSeconds: number
  readonly sweepSeconds: number
  readonly onError: (error: unknown) => void
}

/**
 * Fetches jobs and runs them, so many at once. Not by `boss.work`: it leaves the promise of what it says to the database
 * about a job to nobody, so that a database that is down then ends the process.
 */
export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #queue: string
  readonly #worker: Worker
  readonly #inbox: Inbox<unknown>
  readonly #running = new Set<Promise<void>>()
  readonly #alarm = new Alarm()
  readonly #stopping = new AbortController()
  readonly #stopped = new AbortController()
  readonly #looking: Promise<void>
  readonly #stopSweep: () => Promise<void>

  constructor(settings: ConsumerSettings, queue: string, worker: Worker, inbox: Inbox<unknown>) {
    this.#settings = settings
    this.#queue = queue
    this.#worker = worker
    this.#inbox = inbox
    this.#looking = this.#look()
    this.#stopSweep = startSweep({
      inbox,
      endpoint: worker.endpoint,
      everySeconds: settings.sweepSeconds,
      relist: (job, name) => this.#relist(job, name),
      onError: settings.onError,
    })
  }

  /** There may be a new job. */
  wake(): void {
    this.#alarm.ring()
  }

  /** Takes no more jobs; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#looking
    await Promise.all([this.#stopSweep(), ...this.#running])
    this.#stopped.abort()
  }

  async #look(): Promise<void> {
    const { concurrency, pollSeconds } = this.#settings
    while (!this.#stopping.signal.aborted) {
      const free = concurrency - this.#running.size
      const found = free > 0 ? await this.#fetch(free) : 0
      // Whoever ends rings. Where every free place was taken, there may be more by then.
      if (found < free || free === 0) await this.#alarm.wait(pollSeconds)
    }
  }

  async #fetch(limit: number): Promise<number> {
    try {
      const jobs = await this.#settings.boss.fetch(this.#queue, { batchSize: limit, includeMetadata: true })
      for (const job of jobs) this.#start(job)
      return jobs.length
    } catch (error) {
      this.#settings.onError(error)
      return 0
    }
  }

  #start(job: FetchedJob): void {
    const run = this.#run(job).finally(() => {
      this.#running.delete(run)
      this.wake()
    })
    this.#running.add(run)
  }

  async #run(fetched: FetchedJob): Promise<void> {
    const end = await this.#take(fromData(fetched.data))
    // Keeps its place for a while: what nobody could try would be run in a circle.
    if (end.state === 'untried') await this.#rest()
    // What cannot be said now is said again: until then the job would wait to be taken over.
    for (;;) {
      try {
        await this.#tell(fetched, end)
        return
      } catch (error) {
        this.#settings.onError(error)
        if (this.#stopping.signal.aborted) return
        await this.#rest()
      }
    }
  }

  async #take(job: ListedJob): Promise<JobEnd> {
    const { retry, onError } = this.#settings
    const taker = {
      worker: this.#worker,
      inbox: this.#inbox,
      retry,
      signal: this.#stopped.signal,
      stopping: this.#stopping.signal,
      onError,
      list: async (next: ListedJob) => {
        await this.#send(next, {})
        this.wake()
      },
    }
    try {
      return await takeJob(taker, job, (next, startAfter) => this.#send(next, { startAfter }))
    } catch (error) {
      onError(error)
      return { state: 'untried', error }
    }
  }

  async #tell({ id }: FetchedJob, end: JobEnd): Promise<void> {
    const { boss } = this.#settings
    if (end.state === 'over') return void (await boss.complete(this.#queue, id, {}))
    const output = { [end.state]: describeError(end.error) }
    if (end.state === 'untried') await boss.fail(this.#queue, id, output)
    // A job that failed is followed by another, whose pause is ours: those of pg-boss grow without end.
    else await boss.complete(this.#queue, id, output)
  }

  /**
   * Sends a job for an event that nobody runs, unless one waits already. A job that was handed out or has ended does
   * not count: its worker may have died. pg-boss keeps that job, so the next one needs another id. Processes that look
   * at the same time choose the same id.
   */
  async #relist(job: ListedJob, name: string): Promise<void> {
    for (let round = 0; ; round++) {
      const id = toUuid(await sha256(`${name} ${round}`))
      if (await this.#send(job, { id })) return
      const kept = await this.#settings.boss.getJobById(this.#queue, id)
      if (!kept || kept.state === 'created' || kept.state === 'retry') return
    }
  }

  #send(job: ListedJob, options: object): Promise<unknown> {
    const { boss, takeOverSeconds } = this.#settings
    return boss.send(this.#queue, toData(job), { ...sendOptions(takeOverSeconds), ...options })
  }

  #rest(): Promise<void> {
    const { signal } = this.#stopping
    return sleep(this.#settings.pollSeconds * 1000, undefined, { signal }).catch(() => {})
  }
}

const toUuid = (hex: string) => hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
