import { codeOf } from '../error-text.js'
import { invalidOption } from '../errors.js'
import { hasMethods } from '../given-options.js'
import type { Queue } from '../queue/queue.js'
import { queueName } from '../queue/queue-name.js'
import { durationsOf, resolveQueueOptions } from '../queue/queue-options.js'
import { oncePerSecond, queueLog } from '../report/queue-log.js'
import type { Retry } from '../timing/backoff.js'
import { Consumer } from './bullmq/bullmq-consumer.js'
import type { BullMq } from './bullmq/bullmq-engine.js'
import { Producer } from './bullmq/producer.js'

export type { BullMq } from './bullmq/bullmq-engine.js'

/** Durations in seconds. */
export interface BullMqQueueOptions extends BullMq {
  /**
   * An ioredis client with `maxRetriesPerRequest: null`, which you close yourself, or connection options. The Redis must be durable (`appendonly yes`) and must not evict (`noeviction`). `start()` does not check that.
   */
  readonly connection: object
  /** Prefix of the names of its queues, one for each endpoint. Default `'webhook-inbox'`. */
  readonly name?: string | undefined
  /** Prefix of BullMQ’s keys in Redis. Default: BullMQ’s own, `bull`. */
  readonly prefix?: string | undefined
  /** How many events this process runs concurrently. Default 10. */
  readonly concurrency?: number | undefined
  /** How failed events are retried: `attempts`, `firstPauseSeconds` and `longestPauseSeconds`, see {@link Retry}. */
  readonly retry?: Retry | undefined
  /** If a process dies, another process runs its jobs after this time, at most after twice this time. Default 30 s. */
  readonly takeOverSeconds?: number | undefined
  /** How often this process searches the inbox for events that have no job, in seconds. Default 15 s. */
  readonly sweepSeconds?: number | undefined
  /**
   * Called for errors in the background, at most once a second for each code, or for each message if there is no code. The
   * queue retries. Default: one line with `console.error`, once a minute for each code.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Runs events from BullMQ, 5.81 and later or 6, in any number of processes.
 *
 * BullMQ cannot join the store’s transaction, so the job is added as soon as the event has committed. A delivery never
 * waits for Redis. While Redis is down, events are accepted, and they run when Redis is back. The sweep finds events
 * without a job in the inbox. Such events exist if a process died before it added the job, or if Redis lost the job.
 *
 * The inbox counts failed attempts and sets the pauses. A crash counts as an attempt too, from the fifth one on. Our jobs
 * override three defaults of BullMQ: one attempt, failure after two crashes, and keeping every job that is done.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 *
 * @example
 * import { Queue, Worker } from 'bullmq'
 *
 * const connection = new Redis({ maxRetriesPerRequest: null })
 * const queue = bullmqQueue({ Queue, Worker, connection })
 */
export function bullmqQueue(options: BullMqQueueOptions): Queue {
  const settings = resolve(options)
  const producer = new Producer(settings)
  const consumers = new Set<Consumer>()

  return {
    guarantee:
      'BullMQ, shared by every process on this Redis; events that have lost their job are found in the store within ' +
      `about ${2 * settings.sweepSeconds} s; an event whose process dies runs again within about ` +
      `${2 * settings.takeOverSeconds} s; attempts for each event: ${settings.retry.attempts}`,

    concurrency: settings.concurrency,

    durations: durationsOf(settings),

    committed(job) {
      producer.addSoon({ ...job, failures: job.failures ?? 0 })
    },

    check: (endpoint) => producer.check(endpoint),

    async consume(worker, inbox) {
      const queue = await queueName(settings.name, worker.endpoint)
      const consumer = new Consumer({ ...settings, producer }, queue, worker, inbox)
      await consumer.start()
      consumers.add(consumer)
      return async () => {
        consumers.delete(consumer)
        await consumer.stop()
      }
    },

    resumed() {
      for (const consumer of consumers) {
        consumer.resumed()
      }
    },

    close: () => producer.close(),
  }
}

const defaults = {
  prefix: undefined as string | undefined,
  name: 'webhook-inbox',
  concurrency: 10,
  takeOverSeconds: 30,
  sweepSeconds: 15,
}

/** BullMQ passes the errors of its client, which say nothing about events. The codes of Node begin with an E. */
const adviceOnRedis = (error: unknown) =>
  error instanceof Error && /^E[A-Z_]+$/.test(codeOf(error) ?? '')
    ? 'likely cause: Redis is down or unreachable; fix: check the connection option; events wait in the store, and run when BullMQ is connected again'
    : undefined

function resolve(options: BullMqQueueOptions) {
  const settings = resolveQueueOptions(
    'bullmqQueue',
    options,
    { ...defaults, onError: queueLog('bullmq', adviceOnRedis) },
    'Queue',
    'Worker',
    'connection',
  )
  for (const name of ['Queue', 'Worker'] as const) {
    if (typeof settings[name] !== 'function') {
      throw invalidOption(`${name} must be the class ${name} of bullmq`)
    }
  }
  // Job schedulers came with a later version than 4. There is nothing that tells 5.81 from earlier 5.
  if (!hasMethods('Queue', settings.Queue.prototype, 'upsertJobScheduler')) {
    throw invalidOption(
      'Queue is of a version of bullmq that is not supported; give the one of bullmq 5.81 or later, or 6',
    )
  }
  const { connection } = settings
  if (typeof connection !== 'object' || connection === null) {
    throw invalidOption('connection must be an ioredis client or connection options')
  }
  return { ...settings, onError: oncePerSecond('bullmqQueue', settings.onError) }
}
