import pg from 'pg'
import PgBoss from 'pg-boss'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import type { QueueSettings } from '../../src/testing/queue-suite.js'

/** Consumes the queue of a space and never ends a job. */
const [connectionString, settings] = process.argv.slice(2) as [string, string]
const { space, concurrency, retry, hasSlowMaintenance } = JSON.parse(settings) as QueueSettings & {
  /** The sweep recovers jobs, because pg-boss itself searches for lost jobs only after minutes. */
  hasSlowMaintenance?: boolean
}
const maintenanceIntervalSeconds = hasSlowMaintenance ? 120 : 1
const times = hasSlowMaintenance ? { takeOverSeconds: 60, sweepSeconds: 1 } : { takeOverSeconds: 2 }
const boss = new PgBoss({ connectionString, max: 2, schedule: false, maintenanceIntervalSeconds })
await boss.start()
await createReceiver({
  secret: testSecret,
  store: postgresStore({ pool: new pg.Pool({ connectionString }) }),
  queue: pgBossQueue({ boss, concurrency, retry, ...times }),
  endpoint: space,
  leaseSeconds: 2,
  logger: false,
  fallback() {
    process.send?.('running')
    return new Promise(() => {})
  },
}).start()
