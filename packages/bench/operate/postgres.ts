import type { Pool } from 'pg'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { bodyOf } from '../harness/bodies.js'
import { title } from '../harness/table.js'
import { newDatabase, startServer } from '../postgres/server.js'
import { ask, filled, listQuestions, planQuestions } from './questions.js'

/** `n` is the number of the row. Every tenth event is dead, for one of three causes. */
const fill = `
  INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued,
    received_at, done_at, keep_until, resource, last_error, failure_group)
  SELECT encode(sha256((random() || ' ' || n)::bytea), 'hex'),
    CASE WHEN n % 100000 = 11 THEN '${filled.rareEndpoint}' ELSE '${filled.endpoint}' END, 'evt_' || n,
    CASE WHEN n % 100000 = 10 THEN '${filled.rareType}' ELSE '${filled.type}' END, '2026-01-02T03:04:05Z',
    repeat('f', 64), $1::bytea, CASE WHEN n % 10 = 0 THEN 'dead' ELSE 'done' END, 1, true,
    now() - interval '1 day' + make_interval(secs => n / 1000.0),
    CASE WHEN n % 10 <> 0 THEN now() END, CASE WHEN n % 10 <> 0 THEN now() + interval '90 days' END,
    CASE WHEN n % 50000 = 7 THEN '${filled.rareResource}' WHEN n % 2 = 1 THEN '${filled.resource}' END,
    CASE WHEN n % 10 = 0 THEN 'Error: account ' || n || ' is closed' END,
    CASE WHEN n % 10 = 0 THEN '${filled.endpoint}:' || (n / 10) % 3 END
  FROM generate_series($2::int + 1, $3::int) AS n`

export async function fillPostgres(pool: Pool, count: number): Promise<void> {
  const step = Math.min(count, 100_000)
  for (let from = 0; from < count; from += step) {
    await pool.query(fill, [bodyOf(1000), from, from + step])
  }
  await pool.query('VACUUM (ANALYZE) webhook_inbox.events')
}

export async function operateOnPostgres(count: number): Promise<void> {
  title(`Operate: Postgres (fsync on), ${count.toLocaleString('en-US')} events of 1 kB, a tenth of them dead`)
  const server = await startServer()
  try {
    const pool = await newDatabase(server, 10)
    await fillPostgres(pool, count)
    const store = postgresStore({ pool })
    await ask('list', listQuestions(store.inbox, Date.now()))
    await ask('plan', planQuestions(store.inbox))
    await pool.end()
  } finally {
    await server.close()
  }
}
