import pg from 'pg'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import type { QueueSettings } from '../../src/testing/queue-suite.js'

/** Consumes the queue of a space and never ends a job. Arguments: the port, the store, how often it sweeps. */
const { Queue, Worker } = (await import(process.env.BULLMQ ?? 'bullmq')) as typeof import('bullmq')
const [address, settings] = process.argv.slice(2) as [string, string]
const [port, events, sweepSeconds = '15'] = address.split(' ') as [string, string, string?]
const { space, concurrency, retry } = JSON.parse(settings) as QueueSettings
await createReceiver({
  secret: testSecret,
  store: (events.startsWith('postgresql:')
    ? postgresStore({ pool: new pg.Pool({ connectionString: events }) })
    : sqliteStore(events)) as Store<unknown>,
  queue: bullmqQueue({
    Queue,
    Worker,
    connection: { host: '127.0.0.1', port: Number(port) },
    concurrency,
    retry,
    takeOverSeconds: 2,
    sweepSeconds: Number(sweepSeconds),
  }),
  endpoint: space,
  leaseSeconds: 2,
  logger: false,
  fallback() {
    process.send?.('running')
    return new Promise(() => {})
  },
}).start()
