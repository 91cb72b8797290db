import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import { bodyOf } from '../harness/bodies.js'
import { driver, openIn, scratch } from '../harness/sqlite-files.js'
import { title } from '../harness/table.js'
import { ask, filled, listQuestions, planQuestions } from './questions.js'

/** `n` is the number of the row. libsql binds it as a float. Every tenth event is dead, for one of three causes. */
const fill = `
  INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, done_at, forget_at, resource,
    endpoint, id, type, created_at, content_hash, last_error, failure_group, body)
  WITH RECURSIVE numbers (n) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT lower(hex(randomblob(32))), iif(n % 10 = 0, 'dead', 'done'), 1, 1, ? + n, 0, iif(n % 10 = 0, NULL, 9e12),
    iif(n % 10 = 0, NULL, 9e12), CASE WHEN n % 50000 = 7 THEN '${filled.rareResource}' WHEN n % 2 THEN '${filled.resource}' END,
    iif(n % 100000 = 11, '${filled.rareEndpoint}', '${filled.endpoint}'), 'evt_' || n,
    iif(n % 100000 = 10, '${filled.rareType}', '${filled.type}'), '2026-01-02T03:04:05Z', lower(hex(randomblob(32))),
    iif(n % 10 = 0, 'Error: account ' || n || ' is closed', NULL),
    iif(n % 10 = 0, '${filled.endpoint}:' || ((n / 10) % 3), NULL), ? FROM numbers`

/** Only after the store has made its tables. */
export function fillSqlite(database: SqliteDatabase, count: number, now: number): void {
  const statement = database.prepare(fill)
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000')
  const step = Math.min(count, 50_000)
  for (let from = 0; from < count; from += step) {
    statement.run(from + 1, step, now - 86_400_000, bodyOf(1000))
  }
  database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -2000')
  // Syncs the file. Otherwise the first commit that is measured waits for all of these rows.
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
}

export async function operateOnSqlite(count: number): Promise<void> {
  title(`Operate: SQLite (${driver}), ${count.toLocaleString('en-US')} events of 1 kB, a tenth of them dead`)
  const database = openIn(scratch(), 'operate')
  const store = sqliteStore(database)
  await store.check()
  const now = Date.now()
  fillSqlite(database, count, now)
  await ask('list', listQuestions(store.inbox, now))
  await ask('plan', planQuestions(store.inbox))
  await store.close()
  database.close()
}
