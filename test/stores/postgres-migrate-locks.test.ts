import pg from 'pg'
import { expect, test } from 'vitest'
import { type Blocker, migratePostgres, postgresMigrations } from '../../src/stores/postgres.js'
import { postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('a migration waits for a handler only for moments, names it, and lets deliveries pass meanwhile', async () => {
  await rig.sql(postgresMigrations('locked')[0]?.sql as string)
  const handlers = new pg.Pool({ connectionString: rig.url, max: 2, application_name: 'the handlers' })
  const handler = await handlers.connect()
  await handler.query('BEGIN')
  await handler.query("UPDATE locked.events SET attempt = 1 WHERE key = 'none'")

  const seen: (readonly Blocker[])[] = []
  let isOver = false
  const migrated = migratePostgres(rig.pool(), {
    schema: 'locked',
    onWait: (blockers) => seen.push(blockers),
  })
  const over = migrated.finally(() => {
    isOver = true
  })
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(1)
  expect(seen[0]).toContainEqual(
    expect.objectContaining({
      application: 'the handlers',
      query: expect.stringContaining('UPDATE locked.events'),
    }),
  )
  let longest = 0
  for (let i = 0; i < 20; i++) {
    const began = performance.now()
    await handlers.query("DELETE FROM locked.events WHERE key = 'none'")
    longest = Math.max(longest, performance.now() - began)
  }
  expect(isOver).toBe(false)
  // Without a limit each of these would wait for the handler, which has not ended.
  expect(longest).toBeLessThan(5000)
  await handler.query('COMMIT')
  handler.release()
  expect(await over).toBe(postgresMigrations().length)
  await handlers.end()
})

test('a migration gives up when its patience is over', async () => {
  await rig.sql(postgresMigrations('impatient')[0]?.sql as string)
  const pool = rig.pool()
  const handler = await pool.connect()
  await handler.query('BEGIN')
  await handler.query("UPDATE impatient.events SET attempt = 1 WHERE key = 'none'")
  await expect(
    migratePostgres(pool, { schema: 'impatient', onWait: () => {}, patienceSeconds: 0.3 }),
  ).rejects.toMatchObject({ code: '55P03' })
  await handler.query('ROLLBACK')
  handler.release()
  expect(await migratePostgres(pool, { schema: 'impatient' })).toBe(postgresMigrations().length)
})
