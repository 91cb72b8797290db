import { ConfigurationError, invalidOption } from '../errors.js'
import { hasMethods } from '../given-options.js'
import type { Queue } from '../queue/queue.js'
import { queueName } from '../queue/queue-name.js'
import { durationsOf, resolveQueueOptions } from '../queue/queue-options.js'
import { oncePerSecond, queueLog } from '../report/queue-log.js'
import type { Retry } from '../timing/backoff.js'
import { createQueue } from './pg-boss/create-queue.js'
import { Consumer } from './pg-boss/pg-boss-consumer.js'
import { type PgBossClient, sendOptions, toData } from './pg-boss/pg-boss-engine.js'

export type { PgBossClient } from './pg-boss/pg-boss-engine.js'

/** A transaction of `postgresStore({ pool })`: a client of `pg`. */
export interface SqlTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs a statement, with `$1` and so on for its values, in a transaction of the store. */
export type ExecuteSql<Tx> = (
  tx: Tx,
  text: string,
  values: unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>

/** Durations in seconds. */
export interface PgBossQueueOptions {
  /** A started `PgBoss` on the database of the store, so that event and job can commit together. */
  readonly boss: PgBossClient
  /** Prefix of the names of its queues, one for each endpoint. Default `'webhook-inbox'`. */
  readonly name?: string | undefined
  /** How many events this process runs concurrently. Each holds one client of the store’s pool. Default 10. */
  readonly concurrency?: number | undefined
  /** How often this process looks for jobs of other processes. It finds its own immediately. Default 0.5 s. */
  readonly pollSeconds?: number | undefined
  /** How failed events are retried: `attempts`, `firstPauseSeconds` and `longestPauseSeconds`, see {@link Retry}. */
  readonly retry?: Retry | undefined
  /**
   * The time after which pg-boss releases the job of a dead process: a whole number of seconds, less than a day. The
   * event does not wait for this, because the sweep finds it earlier. Default 60 s.
   */
  readonly takeOverSeconds?: number | undefined
  /**
   * How often this process searches the inbox for events that no process runs, in seconds. The event of a process that died
   * runs again after two searches at most. Default 15 s.
   */
  readonly sweepSeconds?: number | undefined
  /**
   * Called for errors in the background, at most once a second for each code, or for each message if there is no code. The
   * queue retries. Default: one line with `console.error`, once a minute for each code.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Runs events from pg-boss 10, 11 or 12, in any number of processes on any number of machines. The job commits with the
 * event. The inbox counts failed attempts and sets the pauses; a crash does not count as an attempt. Our jobs override
 * two defaults of pg-boss: three attempts with crashes counted, and dropping a job after 14 days.
 *
 * Needs `postgresStore` on the database of `boss`, and `await boss.start()` before `receiver.start()`. If the store uses
 * the transactions of Kysely, Drizzle or another library, `executeSql` says how a transaction runs a statement.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 *
 * @example
 * await boss.start()
 * const receiver = createReceiver({ secret, store: postgresStore({ pool }), queue: pgBossQueue({ boss }), handlers })
 */
export function pgBossQueue(options: PgBossQueueOptions): Queue<SqlTransaction>
export function pgBossQueue<Tx>(
  options: PgBossQueueOptions & { readonly executeSql: ExecuteSql<Tx> },
): Queue<Tx>
export function pgBossQueue(
  options: PgBossQueueOptions & { readonly executeSql?: ExecuteSql<never> },
): Queue<never> {
  const settings = resolve(options)
  const { boss, name } = settings
  const executeSql = (options.executeSql ?? throughClient) as ExecuteSql<unknown>
  const created = new Map<string, Promise<unknown>>()
  const consumers = new Set<Consumer>()
  boss.on?.('error', settings.onError)

  /** The queue of an endpoint, created once: pg-boss silently drops a job for a queue that does not exist. */
  async function open(endpoint: string): Promise<string> {
    const queue = await queueName(name, endpoint)
    const creation = created.get(queue) ?? createQueue(boss, queue)
    created.set(queue, creation)
    try {
      await creation
    } catch (error) {
      created.delete(queue)
      throw error
    }
    return queue
  }

  return {
    guarantee:
      'pg-boss, shared by every process on this database; a job commits with its event; ' +
      `an event whose process dies runs again within about ${2 * settings.sweepSeconds} s; ` +
      `attempts for each event: ${settings.retry.attempts}`,

    concurrency: settings.concurrency,

    durations: durationsOf(settings),

    async prepare(endpoint) {
      await open(endpoint)
    },

    async enqueue(job, tx: unknown) {
      // Not opened here: in the transaction of the store, pg-boss could wait forever for a client of its pool.
      const queue = await queueName(name, job.endpoint)
      const db = { executeSql: (text: string, values: unknown[]) => executeSql(tx, text, values) }
      const id = await boss.send(queue, toData({ ...job, failures: job.failures ?? 0 }), {
        ...sendOptions(settings.takeOverSeconds, job.priority),
        db,
      })
      if (id) {
        return
      }
      created.delete(queue)
      throw new Error(
        `pg-boss did not take a job; likely cause: its queue ${queue} was deleted; it is created again`,
      )
    },

    committed() {
      for (const consumer of consumers) {
        consumer.wake()
      }
    },

    resumed() {
      for (const consumer of consumers) {
        consumer.resumed()
      }
    },

    async check(endpoint) {
      await open(endpoint)
    },

    async consume(worker, inbox) {
      const queue = await open(worker.endpoint)
      const consumer = new Consumer(settings, queue, worker, inbox)
      consumers.add(consumer)
      return async () => {
        consumers.delete(consumer)
        await consumer.stop()
      }
    },
  }
}

async function throughClient(tx: Partial<SqlTransaction> | undefined, text: string, values: unknown[]) {
  if (typeof tx?.query === 'function') {
    return tx.query(text, values)
  }
  throw new ConfigurationError(
    'invalid_option',
    'pgBossQueue joins the transaction of postgresStore({ pool }); for another one, give executeSql',
  )
}

const defaults = {
  name: 'webhook-inbox',
  concurrency: 10,
  pollSeconds: 0.5,
  takeOverSeconds: 60,
  sweepSeconds: 15,
}

function resolve(options: PgBossQueueOptions) {
  const settings = resolveQueueOptions(
    'pgBossQueue',
    options,
    { ...defaults, onError: queueLog('pg-boss') },
    'boss',
    'executeSql',
  )
  for (const method of [
    'createQueue',
    'getQueue',
    'send',
    'fetch',
    'complete',
    'fail',
    'getJobById',
    'deleteJob',
  ] as const) {
    if (hasMethods('boss', settings.boss, method)) {
      continue
    }
    throw invalidOption(
      hasMethods('boss', settings.boss, 'start', 'send')
        ? 'boss is of a version of pg-boss that is not supported; give one of pg-boss 10, 11 or 12'
        : 'boss must be a PgBoss of pg-boss 10, 11 or 12',
    )
  }
  const { takeOverSeconds } = settings
  if (!Number.isInteger(takeOverSeconds) || takeOverSeconds === 86_400) {
    throw invalidOption('takeOverSeconds must be a whole number, below a day')
  }
  return { ...settings, onError: oncePerSecond('pgBossQueue', settings.onError) }
}
