import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'

/** Runs events. The handler ends the process. Arguments: the store, and the port of Redis for BullMQ. */
const [events, port] = process.argv.slice(2) as [string, string?]
const retry = { attempts: 2 }
const connection = { host: '127.0.0.1', port: Number(port) }
const receiver = createReceiver({
  secret: testSecret,
  store: (events.startsWith('postgresql:')
    ? postgresStore({ pool: new pg.Pool({ connectionString: events }) })
    : sqliteStore(events)) as Store<unknown>,
  queue: port
    ? bullmqQueue({ Queue, Worker, connection, retry, takeOverSeconds: 1, sweepSeconds: 0.2 })
    : localQueue({ retry, pollSeconds: 0.1 }),
  leaseSeconds: 1,
  logger: false,
  fallback() {
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  },
})
await receiver.start()
process.send?.('started')
