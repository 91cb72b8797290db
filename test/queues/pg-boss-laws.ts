import { describe, test } from 'node:test'
import pg from 'pg'
import PgBoss10 from 'pg-boss'
import PgBoss11 from 'pg-boss11'
import { PgBoss as PgBoss12 } from 'pg-boss12'
import { type PgBossClient, pgBossQueue } from '../../src/queues/pg-boss.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { queueSuite } from '../../src/testing/queue-suite.js'

/** Runs the laws of a queue on one version of pg-boss, on any release of Node. */
const [version = '', connectionString = ''] = process.argv.slice(2)

type Boss = PgBossClient & { start(): Promise<unknown>; stop(options: object): Promise<unknown> }

const options = {
  connectionString,
  max: 3,
  schedule: false,
  maintenanceIntervalSeconds: 1,
  superviseIntervalSeconds: 1,
  monitorIntervalSeconds: 1,
}
const versions: Record<string, () => Boss> = {
  10: () => new PgBoss10(options),
  11: () => new PgBoss11(options),
  12: () => new PgBoss12(options),
}

const first = versions[version]?.()
if (!first) {
  throw new Error(`there is no pg-boss ${version}`)
}
// Create the schema once, before concurrent users need it.
await first.start()
await first.stop({ graceful: false })

describe(`pg-boss ${version} on Node ${process.version}`, { concurrency: 8 }, () => {
  queueSuite(
    (name, run) => test(name, run),
    async ({ concurrency, retry }) => {
      const pool = new pg.Pool({ connectionString, max: 10 })
      const boss = versions[version]?.() as Boss
      boss.on?.('error', (error) => console.error(error))
      await boss.start()
      return {
        store: postgresStore({ pool }),
        queue: pgBossQueue({ boss, concurrency, retry, takeOverSeconds: 2 }),
        async close() {
          await boss.stop({ graceful: false })
          await pool.end()
        },
      }
    },
  )
})
