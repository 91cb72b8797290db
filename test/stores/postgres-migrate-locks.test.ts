import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('without onWait, a line for each session that is waited for goes to console.warn', async () => {
  await rig.sql(postgresMigrations('warned')[0]?.sql as string)
  const lines: string[] = []
  const warn = vi.spyOn(console, 'warn').mockImplementation((line) => lines.push(line))
  onTestFinished(() => warn.mockRestore())
  const clients: pg.Client[] = []
  for (const application_name of ['the first', '']) {
    const client = new pg.Client({ connectionString: rig.url, application_name })
    await client.connect()
    await client.query('BEGIN')
    await client.query("DELETE FROM warned.events WHERE key = 'none'")
    clients.push(client)
  }
  // What happens in another database does not hold a table here.
  await rig.sql('CREATE DATABASE elsewhere')
  const url = new URL(rig.url)
  url.pathname = '/elsewhere'
  const other = new pg.Client({ connectionString: url.href, application_name: 'elsewhere' })
  await other.connect()
  await other.query('BEGIN; SELECT pg_advisory_xact_lock(1)')
  clients.push(other)

  const migrated = migratePostgres(rig.pool(), { schema: 'warned' })
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
  const [pid] = (await clients[0]?.query('SELECT pg_backend_pid() AS pid'))?.rows ?? []
  await Promise.all(clients.map((client) => client.end()))
  expect(await migrated).toBe(postgresMigrations().length)
  const told =
    /^webhook-inbox: migratePostgres waits for (.+) \(pid (\d+), in its transaction for (\d+) s\): (.+)$/
  const [first, second] = lines.map((line) => line.match(told)?.slice(1))
  // The transaction that began first comes first.
  expect(first).toEqual([
    'the first',
    `${pid.pid}`,
    expect.any(String),
    expect.stringContaining('DELETE FROM warned.events'),
  ])
  expect(second?.[0]).toBe('a session without a name')
  expect(Number(first?.[2])).toBeLessThan(60)
  expect(lines.join()).not.toContain('elsewhere')
})
