import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import PgBoss from 'pg-boss'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'

export interface FailingSettings {
  /** The file or the address of the database. */
  readonly events: string
  readonly engine: 'local' | 'pg-boss' | 'BullMQ'
  readonly endpoint: string
  readonly redisPort: number
  readonly attempts: number
}

/** Runs events with a handler that fails, and tells its parent of each run. */
const { events, engine, endpoint, redisPort, attempts } = JSON.parse(
  process.argv[2] as string,
) as FailingSettings
const retry = { attempts, firstPauseSeconds: 0.2 }
const isPostgres = events.startsWith('postgresql:')
const onError = () => {}
const queues = {
  local: async () => localQueue({ retry, pollSeconds: 0.1, onError }),
  async 'pg-boss'() {
    const boss = new PgBoss({ connectionString: events, max: 3, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    return pgBossQueue({ boss, retry, onError, pollSeconds: 0.1, sweepSeconds: 0.5 })
  },
  async BullMQ() {
    const connection = { host: '127.0.0.1', port: redisPort }
    return bullmqQueue({ Queue, Worker, connection, retry, onError, takeOverSeconds: 1, sweepSeconds: 0.5 })
  },
}
const receiver = createReceiver({
  secret: testSecret,
  store: (isPostgres
    ? postgresStore({ pool: new pg.Pool({ connectionString: events }) })
    : sqliteStore(events)) as Store<unknown>,
  queue: (await queues[engine]()) as QueuePort,
  endpoint,
  leaseSeconds: 1,
  logger: false,
  async fallback() {
    await new Promise((resolve) => process.send?.('ran', resolve))
    throw new Error('no such account')
  },
})
await receiver.start()
process.send?.('started')
