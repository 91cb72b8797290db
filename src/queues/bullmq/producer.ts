import { StoreError } from '../../errors.js'
import { type ListedJob, rankOf } from '../../queue/listed-job.js'
import { queueName } from '../../queue/queue-name.js'
import { type BullMqSettings, type BullQueue, connectionOptions, jobOptions } from './bullmq-engine.js'
import { waitForRedis } from './wait-for-redis.js'

/** A unique id. BullMQ ignores a new job if it still has a job with the same id, even one that is about to end. */
export const freshJobId = () => `job-${crypto.randomUUID()}`

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
   * Adds a job, unless one is kept under this id. Rejects with `StoreError` when Redis is late; the add may still take
   * effect, which does no harm.
   */
  async add(job: ListedJob, jobId: string, isOldest = false): Promise<void> {
    await waitForRedis(this.#add(job, jobId, isOldest), 'take a job')
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
    this.#add(job, freshJobId()).catch(this.#settings.onError)
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

  #add(job: ListedJob, jobId: string, isOldest = false): Promise<void> {
    const added = this.#send(job, jobId, isOldest)
    this.#underWay.add(added)
    const end = () => void this.#underWay.delete(added)
    added.then(end, end)
    return added
  }

  async #send(job: ListedJob, jobId: string, isOldest: boolean): Promise<void> {
    const name = await queueName(this.#settings.name, job.endpoint)
    await this.#open(name).add(job.type, job, { ...jobOptions, ...urgency(job, isOldest), jobId })
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
