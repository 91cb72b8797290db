import type { Filled } from '../../given-options.js'
import { JobRunner, messageOf } from '../../queue/job-runner.js'
import type { JobEnd, JobList, ListedJob } from '../../queue/listed-job.js'
import { notice } from '../../queue/notice.js'
import { Poller } from '../../queue/poller.js'
import { limitedOf, type Worker } from '../../queue/queue.js'
import { sweep } from '../../queue/sweep.js'
import type { Inbox } from '../../store/inbox.js'
import { Alarm } from '../../timing/alarm.js'
import type { Retry } from '../../timing/backoff.js'
import { Shutdown } from '../../timing/shutdown.js'
import { JobSender } from './job-sender.js'
import { type FetchedJob, fromData, type PgBossClient } from './pg-boss-engine.js'

export interface ConsumerSettings {
  readonly boss: PgBossClient
  readonly concurrency: number
  readonly pollSeconds: number
  readonly retry: Filled<Retry>
  readonly takeOverSeconds: number
  readonly sweepSeconds: number
  readonly onError: (error: unknown) => void
}

/**
 * Fetches jobs and runs them. It does not use `boss.work`, because `boss.work` does not await its update of a job.
 * While the database is down, that promise would reject and end the process.
 */
export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #queue: string
  readonly #shutdown = new Shutdown()
  readonly #runner: JobRunner
  readonly #poller: Poller<FetchedJob>
  readonly #sweeping: Promise<void>
  readonly #list: JobList
  readonly #resumed = new Alarm()
  readonly #sender: JobSender

  constructor(settings: ConsumerSettings, queue: string, worker: Worker, inbox: Inbox<unknown>) {
    const { boss, sweepSeconds, onError } = settings
    const shutdown = this.#shutdown
    this.#settings = settings
    this.#queue = queue
    this.#sender = new JobSender({ ...settings, queue, priorityOf: (type) => worker.priorityOf?.(type) })
    this.#runner = new JobRunner({ ...settings, worker, inbox, shutdown })
    this.#list = {
      addNextAttempt: (job, startAfter) => this.#sender.send(job, { startAfter }),
      add: async (job) => {
        await this.#sender.send(job, {})
        this.wake()
      },
    }
    this.#poller = new Poller({
      ...settings,
      shutdown,
      find: (limit) => boss.fetch(queue, { batchSize: limit }),
      run: (job) => this.#run(job),
    })
    this.#sweeping = sweep({
      inbox,
      endpoint: worker.endpoint,
      everySeconds: sweepSeconds,
      shutdown,
      resumed: this.#resumed,
      limited: () => limitedOf(worker),
      relist: (job, name, isOldest) => this.#sender.relist(job, name, isOldest),
      onError,
    })
  }

  /** There may be a new job. */
  wake(): void {
    this.#poller.wake()
  }

  /** Events may run that were held back. Their jobs were dropped. */
  resumed(): void {
    this.#resumed.ring()
  }

  /** Takes no more jobs. Resolves when those that run have ended. */
  async stop(): Promise<void> {
    this.#shutdown.begin()
    await Promise.all([this.#poller.ended(), this.#sweeping])
  }

  async #run(fetched: FetchedJob): Promise<void> {
    const { pollSeconds, onError } = this.#settings
    const job = fromData(fetched.data)
    const end = job ? await this.#runner.take(job, this.#list) : this.#refuse(fetched)
    // Keeps its slot briefly. Otherwise it would be fetched again immediately.
    if (end.state === 'untried') {
      await this.#shutdown.sleep(pollSeconds)
    }
    // Until pg-boss has stored the end, another process may take over the job.
    for (;;) {
      try {
        return await this.#report(fetched, job, end)
      } catch (error) {
        onError(error)
        if (this.#shutdown.hasBegun) {
          return
        }
        await this.#shutdown.sleep(pollSeconds)
      }
    }
  }

  /** Anybody who may write the tables of pg-boss can add a job. It must not end the process. */
  #refuse({ id }: FetchedJob): JobEnd {
    const error = notice(`the job ${id} of the queue ${this.#queue} was not sent by pgBossQueue, and fails`)
    this.#settings.onError(error)
    return { state: 'untried', error, isElsewhere: false }
  }

  async #report({ id }: FetchedJob, job: ListedJob | undefined, end: JobEnd): Promise<void> {
    const { boss } = this.#settings
    // A job that is held back for an unknown time is dropped. The sweep adds it again when it may run.
    if (job && end.state === 'held' && end.retryAfterSeconds !== undefined) {
      const { retryAfterSeconds, retryAt } = end
      await (retryAt === undefined
        ? this.#sender.hold(id, job, retryAfterSeconds)
        : this.#sender.sendFor(retryAt, job, retryAfterSeconds))
    }
    const output = end.state === 'over' ? {} : { [end.state]: messageOf(end.error) }
    if (end.state === 'untried') {
      await boss.fail(this.#queue, id, output)
    }
    // A failed job is followed by a new job with our own pause, because the pauses of pg-boss have no upper limit.
    else {
      await boss.complete(this.#queue, id, output)
    }
  }
}
