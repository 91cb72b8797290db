import { queueName } from '../../queue/queue-name.js'
import type { ListedJob } from '../../queue/take-job.js'
import { type BullMqSettings, type BullQueue, connectionOptions, jobOptions } from './engine.js'
import { inTime } from './in-time.js'

/** Never the same id twice: BullMQ ignores an add whose id it still keeps, be it of a job about to go away. */
export const freshJobId = () => `job-${crypto.randomUUID()}`

/** Adds jobs to the queue of their endpoint, each opened when it is needed first. */
export class Producer {
  readonly #settings: BullMqSettings
  #queues = new Map<string, BullQueue>()
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(settings: BullMqSettings) {
    this.#settings = settings
  }

  /** Adds a job, unless one is kept under this id. An add that is given up may yet take effect, which does no harm. */
  async add(job: ListedJob, jobId: string): Promise<void> {
    const name = await queueName(this.#settings.name, job.endpoint)
    const added = inTime(
      this.#open(name).add(job.type, job, { ...jobOptions, jobId }),
      'Redis did not take a job',
    )
    this.#underWay.add(added)
    try {
      await added
    } finally {
      this.#underWay.delete(added)
    }
  }

  /** Closes what was opened; what is added later opens it again. */
  async close(): Promise<void> {
    const queues = [...this.#queues.values()]
    this.#queues = new Map()
    await Promise.allSettled([...this.#underWay])
    await Promise.all(queues.map((queue) => queue.close()))
  }

  #open(name: string): BullQueue {
    const opened = this.#queues.get(name)
    if (opened) return opened
    const queue = new this.#settings.Queue(name, connectionOptions(this.#settings))
    queue.on('error', this.#settings.onError)
    this.#queues.set(name, queue)
    return queue
  }
}
