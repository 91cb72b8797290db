import { StoreError } from '../../errors.js'
import { type ListedJob, rankOf } from '../../queue/listed-job.js'
import { queueName } from '../../queue/queue-name.js'
import { type BullMqSettings, type BullQueue, connectionOptions, jobOptions } from './bullmq-engine.js'
import { waitForRedis } from './wait-for-redis.js'

/**
 * BullMQ keeps one job of an event, so that one job counts how often the process of the event has ended. A job that is added meanwhile
 * is ignored. If the first one is active, it may be about to end, so the second one follows it. A replay has a new generation, and so
 * a job of its own. The id of a job cannot do this: BullMQ keeps a failed job, and its id, for a week.
 */
const deduplication = ({ generation, key }: ListedJob) => ({
  id: `${generation} ${key}`,
  keepLastIfActive: true,
})

/**
 * BullMQ runs a lower number first, and a job without a number before all others. So without priorities, no job can run before those
 * that wait. Our ranks reach from -200 to 201.
 */
const urgency = ({ priority }: ListedJob, isOldest: boolean) =>
  priority === undefined ? {} : { priority: 202 - rankOf(priority, isOldest) }

/** Maximum number of jobs that wait for Redis in memory. Beyond it the sweep finds the events and adds their jobs. */
const mostWaiting = 10_000

/** Adds jobs to the queue of their endpoint. Each queue is opened when it is first needed. */
export class Producer {
  readonly #settings: BullMqSettings
  #queues = new Map<string, BullQueue>()
  readonly #underWay = new Set<Promise<void>>()
  #lastError: unknown

  constructor(settings: BullMqSettings) {
    this.#settings = settings
  }

  /**
   * Adds a job, unless the event has one. Rejects with `StoreError` when Redis is late; the add may still take effect, which does
   * no harm.
   */
  async add(job: ListedJob, isOldest: boolean): Promise<void> {
    await waitForRedis(this.#add(job, isOldest), 'take a job')
  }

  /** Rejects with `StoreError` when Redis cannot be reached. */
  async check(endpoint: string): Promise<void> {
    const queue = this.#open(await queueName(this.#settings.name, endpoint))
    await waitForRedis(queue.waitUntilReady(), 'let a queue connect', () => this.#lastError)
  }

  /** Adds a job in the background, however long Redis takes. */
  addSoon(job: ListedJob): void {
    if (this.#underWay.size >= mostWaiting) {
      const { onError } = this.#settings
      onError(new StoreError(`more than ${mostWaiting} jobs wait for Redis; the sweep adds the others`))
      return
    }
    this.#add(job).catch(this.#settings.onError)
  }

  /** Waits a few seconds for jobs under way, and closes what was opened. A later add opens it again. */
  async close(): Promise<void> {
    await waitForRedis(this.#close(), 'let the queue close').catch(this.#settings.onError)
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    const queues = [...this.#queues.values()]
    this.#queues = new Map()
    await Promise.all(queues.map((queue) => queue.close()))
  }

  #add(job: ListedJob, isOldest = false): Promise<void> {
    const added = this.#send(job, isOldest)
    this.#underWay.add(added)
    const end = () => void this.#underWay.delete(added)
    added.then(end, end)
    return added
  }

  async #send(job: ListedJob, isOldest: boolean): Promise<void> {
    const queue = this.#open(await queueName(this.#settings.name, job.endpoint))
    const [jobId, only] = [`job-${crypto.randomUUID()}`, deduplication(job)]
    const options = { ...jobOptions, ...urgency(job, isOldest), jobId, deduplication: only }
    const kept = await queue.add(job.type, job, options)
    // The job that the event has may wait for a time, while the event may run now, for example because an operator retries it. BullMQ
    // refuses to promote any other job.
    if (kept.id !== undefined && kept.id !== jobId) {
      await kept.promote().catch(() => {})
      // BullMQ 5 also ignores the job if Redis has lost the other one.
      if (!(await queue.getJob(kept.id))) {
        await queue.removeDeduplicationKey(only.id)
        await queue.add(job.type, job, options)
      }
    }
  }

  #open(name: string): BullQueue {
    const opened = this.#queues.get(name)
    if (opened) {
      return opened
    }
    const queue = new this.#settings.Queue(name, connectionOptions(this.#settings))
    queue.on('error', (error) => {
      this.#lastError = error
      this.#settings.onError(error)
    })
    this.#queues.set(name, queue)
    return queue
  }
}
