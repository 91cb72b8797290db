import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'

let server: PostgresServer
let pool: pg.Pool
let boss: PgBoss
beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: server.url, max: 10 })
  boss = new PgBoss({ connectionString: server.url, max: 10 })
  boss.on('error', () => {})
  await boss.start()
})
afterAll(async () => {
  await boss?.stop({ graceful: false })
  await pool?.end()
  await server?.close()
})

it('lets processes that start together create the queue of one endpoint, although pg-boss deadlocks', async () => {
  const processes = Array.from({ length: 6 }, () => pgBossQueue({ boss }))
  for (let round = 0; round < 10; round++) {
    const job = { key: `${round}`, type: 'a', endpoint: `endpoint-${round}`, generation: 0 }
    await Promise.all(
      processes.map(async (queue) => {
        await queue.prepare?.(job.endpoint)
        await queue.enqueue?.(job, pool)
      }),
    )
  }
  const { rows } = await pool.query('SELECT count(*)::int AS jobs FROM pgboss.job')
  expect(rows).toEqual([{ jobs: 60 }])
})
