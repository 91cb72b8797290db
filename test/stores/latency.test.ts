import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Inbox } from '../../src/store/inbox.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)
const rig = postgresRig()

/** Done events that arrived in one minute, with the time that each took. */
interface Done {
  readonly count: number
  readonly minutesAgo: number
  readonly seconds: number
  readonly generation?: number
}

type Reading = Pick<Inbox<never>, 'statistics'>

async function onSqlite(endpoint: string, given: readonly Done[]): Promise<Reading> {
  const path = newFile()
  const store = sqliteStore(path)
  await store.check()
  const database = open(path)
  database.exec('BEGIN')
  const insert = database.prepare(
    `INSERT INTO webhook_inbox_events (state, queued, key, received_at, done_at, generation, due_at, endpoint, id, type,
       created_at, content_hash, body) VALUES ('done', 1, ?, ?, ?, ?, 0, ?, 'id', 'a', '', 'hash', x'00')`,
  )
  for (const { count, minutesAgo, seconds, generation = 0 } of given) {
    const at = Date.now() - minutesAgo * 60_000
    for (let i = 0; i < count; i++) {
      insert.run(randomUUID(), at, at + seconds * 1000, generation, endpoint)
    }
  }
  database.exec('COMMIT')
  database.close()
  return store.inbox as unknown as Reading
}

async function onPostgres(endpoint: string, given: readonly Done[]): Promise<Reading> {
  for (const { count, minutesAgo, seconds, generation = 0 } of given) {
    await rig.sql(
      `INSERT INTO webhook_inbox.events (endpoint, type, state, received_at, done_at, generation, key, id, created_at,
         content_hash, body, attempt, queued)
       SELECT $1, 'a', 'done', at, at + make_interval(secs => $4), $5, gen_random_uuid()::text, 'id', '', '', '', 1, true
       FROM generate_series(1, $2::int), (SELECT now() - make_interval(mins => $3::int) AS at) AS arrived`,
      [endpoint, count, minutesAgo, seconds, generation],
    )
  }
  return postgresStore({ pool: rig.pool() }).inbox as unknown as Reading
}

const stores = [
  ['SQLite', onSqlite],
  ['Postgres', onPostgres],
] as const

test.each(stores)('the latency of a time counts each bucket by its events, on %s', async (_, on) => {
  const endpoint = randomUUID()
  const { statistics } = await on(endpoint, [
    { count: 218, minutesAgo: 40, seconds: 0.06 },
    ...[30, 25, 20, 15].map((minutesAgo) => ({ count: 25, minutesAgo, seconds: 700 })),
    // Their time includes that until the replay.
    ...[10, 5].map((minutesAgo) => ({ count: 90, minutesAgo, seconds: 3000, generation: 1 })),
    { count: 1, minutesAgo: 5, seconds: 800 },
  ])
  const since = new Date(Date.now() - 3_600_000)
  const found = await statistics?.read({ endpoint, since, buckets: 60 })
  expect(found?.latency).toEqual({ p50: 0.06, p95: 700, p99: 700 })
  expect(found?.buckets.filter(({ latency }) => latency)).toHaveLength(6)
})

test.each(stores)('a burst is counted to its end, and so is its latency, on %s', async (_, on) => {
  const endpoint = randomUUID()
  const { statistics } = await on(endpoint, [
    { count: 10, minutesAgo: 33, seconds: 1 },
    { count: 2500, minutesAgo: 23, seconds: 2 },
    { count: 500, minutesAgo: 23, seconds: 90 },
    { count: 11_000, minutesAgo: 13, seconds: 1 },
  ])
  const since = new Date(Date.now() - 3_600_000)
  const found = await statistics?.read({ endpoint, since, buckets: 60 })
  expect(found?.buckets.filter(({ received }) => received > 0)).toMatchObject([
    { received: 10, isCapped: false },
    { received: 3000, done: 3000, isCapped: false, latency: { p50: 2, p95: 90, p99: 90 } },
    { received: 10_000, done: 10_000, isCapped: true },
  ])
})
