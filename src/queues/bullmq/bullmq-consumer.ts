import { JobRunner, messageOf } from '../../queue/job-runner.js'
import type { ListedJob } from '../../queue/listed-job.js'
import { limitedOf, type Worker } from '../../queue/queue.js'
import { sweep } from '../../queue/sweep.js'
import type { Inbox } from '../../store/inbox.js'
import { Alarm } from '../../timing/alarm.js'
import { Shutdown } from '../../timing/shutdown.js'
import {
  type BullJob,
  type BullMqSettings,
  type BullWorker,
  connectionOptions,
  keptJobs,
} from './bullmq-engine.js'
import { patientWorker } from './patient-worker.js'
import type { Producer } from './producer.js'
import { waitForRedis } from './wait-for-redis.js'

/** How long a job that was not tried waits. Otherwise BullMQ would run it again immediately. */
const untriedPauseSeconds = 1

/** Tells BullMQ that a job is not done. The inbox has noted the failure already. */
class NotDone extends Error {
  constructor(
    cause: unknown,
    /** Undefined when the event is dead. */
    readonly retryAfterSeconds?: number,
  ) {
    super(messageOf(cause))
    this.name = 'NotDone'
  }
}

export interface ConsumerSettings extends BullMqSettings {
  readonly producer: Producer
}

/** Runs the jobs of one queue until {@link Consumer.stop}. */
export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #worker: Worker
  readonly #inbox: Inbox<unknown>
  readonly #shutdown = new Shutdown()
  readonly #runner: JobRunner
  readonly #jobs: BullWorker
  readonly #resumed = new Alarm()
  #sweeping: Promise<void> | undefined
  #lastError: unknown

  constructor(settings: ConsumerSettings, queue: string, worker: Worker, inbox: Inbox<unknown>) {
    const { concurrency, takeOverSeconds, onError } = settings
    this.#settings = settings
    this.#worker = worker
    this.#inbox = inbox
    this.#runner = new JobRunner({ ...settings, worker, inbox, shutdown: this.#shutdown })
    const PatientWorker = patientWorker(settings.Worker, this.#shutdown)
    this.#jobs = new PatientWorker(queue, (job: BullJob) => this.#run(job), {
      ...connectionOptions(settings),
      concurrency,
      lockDuration: takeOverSeconds * 1000,
      stalledInterval: takeOverSeconds * 1000,
      // Such a death counts as an attempt, and only the inbox says that an event is dead.
      maxStalledCount: 2 ** 31 - 1,
      settings: { backoffStrategy },
      ...keptJobs,
    })
    this.#jobs.on('error', (error) => {
      this.#lastError = error
      onError(error)
    })
  }

  /** Rejects with `StoreError` when Redis cannot be reached. Then it takes no jobs. */
  async start(): Promise<void> {
    const { sweepSeconds, onError } = this.#settings
    try {
      await waitForRedis(this.#jobs.waitUntilReady(), 'let a worker connect', () => this.#lastError)
    } catch (error) {
      this.#jobs.close(true).catch(onError)
      throw error
    }
    this.#sweeping = sweep({
      inbox: this.#inbox,
      endpoint: this.#worker.endpoint,
      everySeconds: sweepSeconds,
      shutdown: this.#shutdown,
      resumed: this.#resumed,
      limited: () => limitedOf(this.#worker),
      relist: (job, _name, isOldest) => this.#add(job, isOldest),
      onError,
    })
  }

  /** Events may run that were held back. Their jobs were dropped. */
  resumed(): void {
    this.#resumed.ring()
  }

  /** Takes no more jobs. Resolves when those that run have ended. */
  async stop(): Promise<void> {
    this.#shutdown.begin()
    await Promise.all([this.#sweeping, this.#jobs.close()])
  }

  async #run(job: BullJob): Promise<void> {
    const list = {
      addNextAttempt: (next: ListedJob) => job.updateData(next),
      add: (next: ListedJob) => this.#add(next),
    }
    const end = await this.#runner.take(job.data, list, job.stalledCounter)
    switch (end.state) {
      case 'over':
        return
      case 'held':
        // If the time is unknown, the job is dropped. The sweep adds it again when it may run. A job whose process has ended stays,
        // because it counts that.
        if (end.retryAfterSeconds === undefined && !job.stalledCounter) {
          return
        }
        throw new NotDone(end.error, end.retryAfterSeconds ?? this.#settings.sweepSeconds)
      case 'failed':
        throw new NotDone(end.error, end.pauseSeconds)
      case 'dead':
        throw new NotDone(end.error)
      case 'untried':
        await this.#shutdown.sleep(untriedPauseSeconds)
        throw new NotDone(end.error, 2 * untriedPauseSeconds)
    }
  }

  #add(job: ListedJob, isOldest = false): Promise<void> {
    const priority = this.#worker.priorityOf?.(job.type)
    return this.#settings.producer.add({ ...job, priority }, isOldest)
  }
}

/** In milliseconds; -1 ends the job. */
function backoffStrategy(_attempts: number, _type: string, error: unknown): number {
  if (!(error instanceof NotDone)) {
    return 1000
  }
  return error.retryAfterSeconds === undefined ? -1 : Math.ceil(error.retryAfterSeconds * 1000)
}
