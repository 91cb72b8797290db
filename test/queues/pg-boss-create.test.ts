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

/** The methods of pg-boss, of which createQueue does something else. */
const bossThat = (createQueue: () => Promise<void>) =>
  Object.create(boss, { createQueue: { value: createQueue } }) as PgBoss

it('gives up after ten deadlocks in a few seconds, and keeps the cause', async () => {
  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })
  let tries = 0
  const deadlocked = bossThat(async () => {
    tries++
    throw deadlock
  })
  const startedAt = performance.now()
  await expect(pgBossQueue({ boss: deadlocked }).prepare?.('deadlocked')).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('deadlock detected'),
    cause: deadlock,
  })
  expect(tries).toBe(10)
  // The longest nine pauses, of 0.1 s to 0.9 s, would take 4.5 s. Each is shorter by chance.
  expect(performance.now() - startedAt).toBeLessThan(4500)
})

it('says that pg-boss is not started if it creates nothing without an error', async () => {
  const silent = bossThat(async () => {})
  await expect(pgBossQueue({ boss: silent }).prepare?.('silent')).rejects.toMatchObject({
    code: 'queue_not_started',
    message: expect.stringContaining('pg-boss does not answer (pg-boss has not created its queue)'),
    cause: expect.any(TypeError),
  })
})
