import { StoreError } from '../../errors.js'
import { queueName } from '../../queue/queue-name.js'
import type { ListedJob } from '../../queue/take-job.js'
import { type BullMqSettings, type BullQueue, connectionOptions, jobOptions } from './engine.js'

/** How long an add may take: the store’s transaction is open meanwhile, and a client of a lost Redis waits for ever. */
const patienceSeconds = 5

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
    const added = inTime(this.#open(name).add(job.type, job, { ...jobOptions, jobId }))
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

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreError(`Redis did not take a job within ${patienceSeconds} s`)),
      patienceSeconds * 1000,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
