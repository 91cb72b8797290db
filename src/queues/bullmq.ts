import { ConfigurationError } from '../errors.js'
import { defaultRetry, pauseAfter, type Retry } from '../queue/backoff.js'
import type { Job, Queue } from '../queue/queue.js'

// biome-ignore lint/suspicious/noExplicitAny: the classes are generic in ways that differ between versions
type Loose = any

/** What is needed of the classes `Queue` and `Worker` of BullMQ 5 or later. */
export interface BullMq {
  readonly Queue: new (name: string, options: Loose) => BullQueue
  readonly Worker: new (name: string, run: (job: Loose) => Promise<Loose>, options: Loose) => BullWorker
}

interface BullQueue {
  add(name: string, data: Loose, options: Loose): Promise<Loose>
  on(event: Loose, listener: Loose): Loose
}

interface BullWorker {
  waitUntilReady(): Promise<Loose>
  close(): Promise<void>
  on(event: Loose, listener: Loose): Loose
}

export interface BullMqQueueOptions extends BullMq {
  /** What BullMQ connects with: an ioredis client with `maxRetriesPerRequest: null`, or connection options. */
  readonly connection: unknown
  /** The queue’s name. Default `'webhook-inbox'`. */
  readonly name?: string
  /** How many jobs this process runs at once. Default 10. */
  readonly concurrency?: number
  readonly retry?: Retry
  /** After how many seconds the job of a process that died is taken over. Default 30. */
  readonly takeOverSeconds?: number
  /** Told of errors of the connection. Default: `console.error`. */
  readonly onError?: (error: Error) => void
}

/**
 * Runs events from BullMQ. It cannot join the store’s transaction, so the job is added first and the event committed
 * second: a job whose event never commits finds nothing and goes away, an event without a job cannot be. Its unsafe
 * defaults are overridden: one attempt, and failed for ever after two crashes.
 */
export function bullmqQueue(options: BullMqQueueOptions): Queue {
  const { connection, name = 'webhook-inbox', concurrency = 10 } = options
  if (typeof options.Queue !== 'function' || typeof options.Worker !== 'function' || !connection) {
    throw new ConfigurationError(
      'invalid_option',
      'bullmqQueue needs Queue and Worker of bullmq, and a connection',
    )
  }
  const retry = { ...defaultRetry, ...options.retry }
  const onError = options.onError ?? ((error: Error) => console.error('webhook-inbox: bullmq', error))
  let queue: BullQueue | undefined

  function openQueue(): BullQueue {
    if (!queue) {
      queue = new options.Queue(name, { connection })
      queue.on('error', onError)
    }
    return queue
  }

  return {
    guarantee: 'BullMQ, shared by every process on this Redis; jobs survive what that Redis survives',

    async enqueue(job) {
      // Never the same id twice: BullMQ ignores an add whose id it still keeps, and the event would wait for ever.
      const jobId = `${job.key}-${job.generation}-${crypto.randomUUID()}`
      await openQueue().add(job.type, job, {
        jobId,
        attempts: retry.attempts,
        backoff: { type: 'custom' },
        removeOnComplete: true,
        removeOnFail: false,
      })
    },

    async consume(worker) {
      const stopping = new AbortController()

      async function run({ data, attemptsMade }: { data: Job; attemptsMade: number }): Promise<void> {
        try {
          await worker.run(data, stopping.signal)
        } catch (error) {
          // Buried before BullMQ hears of the last failure: a crash in between leaves a job, not a forgotten event.
          if (attemptsMade + 1 >= retry.attempts) await worker.bury(data, error)
          throw error
        }
      }

      const consumer = new options.Worker(name, run, {
        connection,
        concurrency,
        lockDuration: (options.takeOverSeconds ?? 30) * 1000,
        stalledInterval: (options.takeOverSeconds ?? 30) * 1000,
        maxStalledCount: 1_000_000,
        settings: { backoffStrategy: (attemptsMade: number) => pauseAfter(attemptsMade, retry) * 1000 },
      })
      consumer.on('error', onError)
      await consumer.waitUntilReady()
      return async () => {
        await consumer.close()
        stopping.abort()
      }
    },
  }
}
