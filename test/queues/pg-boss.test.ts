import { join } from 'node:path'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { type QueueSettings, queueSuite } from '../../src/testing/queue-suite.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { bundle, type Program } from '../setup/bundle.js'
import { startVictim } from './victim.js'

let server: PostgresServer
let victim: Program
beforeAll(async () => {
  ;[server, victim] = await Promise.all([
    startPostgres(),
    bundle(join(import.meta.dirname, 'pg-boss-victim.ts')),
  ])
  const pool = new pg.Pool({ connectionString: server.url })
  await migratePostgres(pool)
  await pool.end()
})
afterAll(async () => {
  victim?.remove()
  await server?.close()
})

describe('pg-boss on Postgres', () => {
  queueSuite(
    test.concurrent,
    async ({ concurrency, retry }: QueueSettings) => {
      const pool = new pg.Pool({ connectionString: server.url, max: 10 })
      const boss = new PgBoss({
        connectionString: server.url,
        max: 3,
        schedule: false,
        maintenanceIntervalSeconds: 1,
      })
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
    { startVictim: (settings) => startVictim(victim.path, server.url, settings), recoverySeconds: 30 },
  )
})
