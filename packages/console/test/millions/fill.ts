import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { SqliteDatabase } from 'webhook-inbox/stores/sqlite'

/** A body of 1 kB, as a sender writes it. `n` makes it differ. */
const body = JSON.stringify({
  id: 'evt_million',
  type: 'transfer.settled',
  createdAt: '2026-01-02T03:04:05Z',
  data: { transferId: 'tr_million', customer: { name: 'Ada' }, note: 'x'.repeat(850) },
})

/** How many types the events have. One in ten thousand is of a rare one. */
export const types = 20

/** The one event with a known id, and its group. The group shows this event as its example. All other keys are random. */
export const known = { id: 'evt_500000', group: 'payments:cause0' }

const keyOf = (endpoint: string) => createHash('sha256').update(`${endpoint}\0${known.id}`).digest('hex')

/** Adds events of the last 24 hours at a steady pace to an inbox of SQLite: a tenth is dead, for one of 100 causes. */
export function fillSqlite(database: SqliteDatabase, endpoint: string, count: number): void {
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -300000')
  const step = Math.min(count, 100_000)
  const insert = database.prepare(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, done_at, forget_at, resource,
      endpoint, id, type, created_at, content_hash, last_error, failure_group, body)
    WITH RECURSIVE numbers (n) AS (SELECT CAST(?1 AS INTEGER) UNION ALL SELECT n + 1 FROM numbers LIMIT ?2)
    SELECT lower(hex(randomblob(32))), iif(n % 10 = 0, 'dead', 'done'), 1, 1, CAST(?3 + n * ?4 AS INTEGER), 0,
      iif(n % 10 = 0, NULL, CAST(?3 + n * ?4 AS INTEGER) + n % 977), iif(n % 10 = 0, NULL, 9e12),
      'account_' || (n % 1000), ?5, 'evt_' || n,
      iif(n % 10000 = 9, 'transfer.rare', 'transfer.type_' || (n % ${types})), '2026-01-02T03:04:05Z',
      lower(hex(randomblob(32))), iif(n % 10 = 0, 'Error: account ' || n || ' is closed', NULL),
      iif(n % 10 = 0, ?5 || ':cause' || ((n / 10) % 100), NULL), CAST(?6 AS BLOB) FROM numbers`)
  for (let from = 0; from < count; from += step) {
    const start = Date.now() - 86_400_000
    insert.run(from + 1, step, start, 86_400_000 / count, endpoint, body)
  }
  database.exec(`
    INSERT INTO webhook_inbox_failure_groups (id, endpoint, title, types, first_seen_at, last_seen_at, example)
    SELECT failure_group, endpoint, 'Error: account * is closed', '[]', min(received_at), max(received_at), min(id)
    FROM webhook_inbox_events WHERE failure_group IS NOT NULL GROUP BY failure_group;
    UPDATE webhook_inbox_events SET key = '${keyOf(endpoint)}' WHERE id = '${known.id}';
    UPDATE webhook_inbox_failure_groups SET example = '${known.id}' WHERE id = '${known.group}';
    PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL; PRAGMA cache_size = -2000`)
}

/** The same for Postgres. */
export async function fillPostgres(
  pool: pg.Pool,
  schema: string,
  endpoint: string,
  count: number,
): Promise<void> {
  const step = Math.min(count, 100_000)
  for (let from = 0; from < count; from += step) {
    await pool.query(
      `
      INSERT INTO ${schema}.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued,
        received_at, done_at, keep_until, resource, last_error, failure_group)
      SELECT encode(sha256((random() || ' ' || n)::bytea), 'hex'), $1::text, 'evt_' || n,
        CASE WHEN n % 10000 = 9 THEN 'transfer.rare' ELSE 'transfer.type_' || (n % ${types}) END,
        '2026-01-02T03:04:05Z', repeat('f', 64), $2::bytea, CASE WHEN n % 10 = 0 THEN 'dead' ELSE 'done' END, 1, true,
        received, CASE WHEN n % 10 <> 0 THEN received + make_interval(secs => (n % 977) / 1000.0) END,
        CASE WHEN n % 10 <> 0 THEN now() + interval '90 days' END, 'account_' || (n % 1000),
        CASE WHEN n % 10 = 0 THEN 'Error: account ' || n || ' is closed' END,
        CASE WHEN n % 10 = 0 THEN $1::text || ':cause' || ((n / 10) % 100) END
      FROM generate_series($3::int + 1, $3::int + $4::int) AS n
      CROSS JOIN LATERAL (SELECT now() - interval '1 day' + make_interval(secs => n * $5::float8) AS received) AS r`,
      [endpoint, Buffer.from(body), from, step, 86_400 / count],
    )
  }
  await pool.query(`
    INSERT INTO ${schema}.failure_groups (id, endpoint, title, types, first_seen_at, last_seen_at, example)
    SELECT failure_group, endpoint, 'Error: account * is closed', '[]', min(received_at), max(received_at), min(id)
    FROM ${schema}.events WHERE failure_group IS NOT NULL GROUP BY failure_group, endpoint`)
  await pool.query(`UPDATE ${schema}.events SET key = $1::text WHERE id = $2::text`, [
    keyOf(endpoint),
    known.id,
  ])
  await pool.query(`UPDATE ${schema}.failure_groups SET example = $1::text WHERE id = $2::text`, [
    known.id,
    known.group,
  ])
  await pool.query(`VACUUM (ANALYZE) ${schema}.events`)
}
