import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { createReceiver, type Receiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import { startPostgres } from '../../../../test/servers/postgres.js'
import { secret } from '../rig.js'
import { fillPostgres, fillSqlite } from './fill.js'
import { expectCheapViews } from './views.js'

const isLong = Boolean(process.env.LONG)
/** `ROWS=5000000` with `LONG=1` is the same by hand. The cheapest of three answers counts, so other work may go on. */
const count = Number(process.env.ROWS ?? 1_000_000)
if (!isLong) {
  console.info('Views over a million events: skipped, because filling them takes minutes. Set LONG=1.')
}

/** Runs nothing: the events are only looked at. */
const receiverOf = (store: unknown): Receiver =>
  createReceiver({
    secret,
    endpoint: 'payments',
    store: store as Store<unknown>,
    queue: localQueue({ onError() {} }),
    logger: false,
    fallback() {},
  } as Parameters<typeof createReceiver>[0])

const minutes = { timeout: 900_000 * Math.max(1, count / 1_000_000) }

it.runIf(isLong)('every view of a million events is cheap for SQLite', minutes, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => SqliteDatabase
  const database = new Database(join(folder, 'inbox.db'))
  const store = sqliteStore(database)
  await store.check()
  fillSqlite(database, 'payments', count)
  // SQLite runs in this process, so the time of the processor is that of the database and a little more.
  await expectCheapViews(receiverOf(store), async (work) => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  await store.close()
  database.close()
})

it.runIf(isLong)('every view of a million events is cheap for Postgres', minutes, async () => {
  const server = await startPostgres({ shared_preload_libraries: 'pg_stat_statements' })
  onTestFinished(() => server.close())
  const pool = new pg.Pool({ connectionString: server.url, max: 5 })
  const observer = new pg.Pool({ connectionString: server.url, max: 1 })
  onTestFinished(async () => {
    await Promise.all([pool.end(), observer.end()])
  })
  await migratePostgres(pool)
  await observer.query('CREATE EXTENSION pg_stat_statements')
  await fillPostgres(pool, 'webhook_inbox', 'payments', count)
  const own = `query NOT LIKE '%pg_stat_statements%'`
  await expectCheapViews(receiverOf(postgresStore({ pool })), async (work) => {
    await observer.query('SELECT pg_stat_statements_reset()')
    await work()
    const { rows } = await observer.query(
      `SELECT count(*)::int AS statements, sum(total_exec_time)::float8 AS took FROM pg_stat_statements WHERE ${own}`,
    )
    expect(rows[0].statements).toBeGreaterThan(0)
    return rows[0].took
  })
})
