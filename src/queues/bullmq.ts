import { invalidOption } from '../options/checks.js'
import type { Queue } from '../queue/queue.js'
import { queueName } from '../queue/queue-name.js'
import { resolveQueueOptions } from '../queue/queue-options.js'
import type { Retry } from '../timing/backoff.js'
import { consume } from './bullmq/consume.js'
import type { BullMq } from './bullmq/engine.js'
import { Producer } from './bullmq/producer.js'

export type { BullMq } from './bullmq/engine.js'

/** Durations in seconds. */
export interface BullMqQueueOptions extends BullMq {
  /**
   * What BullMQ connects with: an ioredis client with `maxRetriesPerRequest: null`, which stays the user’s to close, or
   * connection options. The Redis must be durable (`appendonly yes`) and must not evict (`noeviction`).
   */
  readonly connection: object
  /** What the names of its queues begin with, one for each endpoint. Default `'webhook-inbox'`. */
  readonly name?: string
  /** What the names of BullMQ’s keys begin with. Default: BullMQ’s own, `bull`. */
  readonly prefix?: string
  /** How many events this process runs at once. Default 10. */
  readonly concurrency?: number
  /** How failed events are tried again. */
  readonly retry?: Retry
  /** After how long the job of a process that died is run by another: once to twice this time. Default 30 s. */
  readonly takeOverSeconds?: number
  /** How often this process searches the inbox for events that have no job, in seconds. Default 15 s. */
  readonly sweepSeconds?: number
  /** Told of what goes wrong in the background; the queue goes on trying. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/**
 * Runs events from BullMQ 6, in any number of processes on any number of machines:
 *
 *     bullmqQueue({ Queue, Worker, connection: new Redis(url, { maxRetriesPerRequest: null }) })
 *
 * BullMQ cannot join the store’s transaction, so the job is added as soon as the event has committed. A delivery never
 * waits for Redis: while Redis is away events are accepted, and run when it is back. The sweep finds events without a
 * job in the inbox and adds one: those whose process died in between, and those whose job Redis has lost.
 *
 * Failed attempts are counted by the inbox, with our own pauses; a crash is none. Its unsafe defaults are overridden:
 * one attempt, failed for ever after two crashes, and keeping every job that was ever done.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 */
export function bullmqQueue(options: BullMqQueueOptions): Queue {
  const settings = resolve(options)
  const producer = new Producer(settings)

  return {
    guarantee:
      'BullMQ, shared by every process on this Redis; events that have lost their job are found in the store within ' +
      `about ${2 * settings.sweepSeconds} s; an event whose process dies runs again after about ` +
      `${settings.takeOverSeconds} s; an event that fails is tried ${settings.retry.attempts} times`,

    committed(job) {
      producer.addSoon({ ...job, failures: 0 })
    },

    check: (endpoint) => producer.check(endpoint),

    consume: async (worker, inbox) =>
      consume(settings, await queueName(settings.name, worker.endpoint), producer, worker, inbox),

    close: () => producer.close(),
  }
}

const defaults = {
  prefix: undefined as string | undefined,
  name: 'webhook-inbox',
  concurrency: 10,
  takeOverSeconds: 30,
  sweepSeconds: 15,
  onError: (error: unknown) => console.error('webhook-inbox: bullmq', error),
}

function resolve(options: BullMqQueueOptions) {
  const settings = resolveQueueOptions('bullmqQueue', options, defaults, ['Queue', 'Worker', 'connection'])
  for (const name of ['Queue', 'Worker'] as const) {
    if (typeof settings[name] !== 'function')
      throw invalidOption(`${name} must be the class ${name} of bullmq`)
  }
  const { connection } = settings
  if (typeof connection !== 'object' || connection === null)
    throw invalidOption('connection must be an ioredis client or connection options')
  return settings
}
