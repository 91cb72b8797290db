import type { Inbox } from 'webhook-inbox'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { openIn, scratch } from './harness/sqlite-files.js'
import { title } from './harness/table.js'
import { newDatabase, startServer } from './postgres/server.js'

/**
 * Measures a pause with a million events. Half of them have a paused type. These are older than all other waiting events.
 *
 * `npm run bench -- flow` measures both stores. `--small` takes a hundredth of the events.
 */
const count = process.argv.includes('--small') ? 10_000 : 1_000_000
const endpoint = 'default'
const audit = { reason: 'bench', actor: 'bench' }

const fillSqlite = `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at, content_hash,
    body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT lower(hex(randomblob(32))), CASE WHEN n % 2 THEN 'accepted' WHEN n % 1000 THEN 'done' ELSE 'accepted' END, 1, n,
    n + (n % 2 = 0) * 1000000000, '${endpoint}', 'evt_' || n, CASE WHEN n % 2 THEN 'held' ELSE 'free.' || n % 20 END, '', '',
    zeroblob(200) FROM numbers`

const fillPostgres = `
  INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at)
  SELECT encode(sha256((n || ' ' || random())::bytea), 'hex'), '${endpoint}', 'evt_' || n,
    CASE WHEN n % 2 = 1 THEN 'held' ELSE 'free.' || n % 20 END, '', '', decode(repeat('00', 200), 'hex'),
    CASE WHEN n % 2 = 1 OR n % 1000 = 0 THEN 'accepted' ELSE 'done' END, 0, true,
    now() - interval '1 day' + make_interval(secs => n / 1e6 + CASE WHEN n % 2 = 1 THEN 0 ELSE 10 END)
  FROM generate_series(1, $1::int) AS n`

/** The slowest of ten, in milliseconds. */
async function slowest(name: string, ask: () => Promise<unknown>): Promise<void> {
  let most = 0
  for (let i = 0; i < 10; i++) {
    const began = performance.now()
    await ask()
    most = Math.max(most, performance.now() - began)
  }
  console.log(`${name.padEnd(44)}${most.toFixed(1).padStart(8)} ms`)
}

async function ask({ inbox }: { readonly inbox: Inbox<never> }): Promise<void> {
  const { flow } = inbox
  if (!flow) {
    throw new Error('the inbox cannot hold events back')
  }
  const held = { endpoint, type: 'held' }
  await slowest('due, nothing held back', () => inbox.due(10, endpoint))
  await slowest('pause and resume', async () => {
    await flow.pause(held, audit)
    await flow.resume(held, audit)
  })
  await flow.pause(held, audit)
  await slowest('due, half of all events held back', () => inbox.due(10, endpoint))
  const [first] = await inbox.list({ endpoint, state: 'accepted', limit: 1 })
  const key = first?.key ?? ''
  await slowest('what explain asks', async () => {
    await inbox.read(key)
    await flow.claimOf(key)
    await flow.workers(endpoint, 60)
    await flow.holds(endpoint)
    await inbox.nextForResource(key)
  })
  await flow.resume(held, audit)
}

title(`Flow: SQLite, ${count.toLocaleString('en-US')} events`)
const database = openIn(scratch(), 'flow')
const onSqlite = sqliteStore(database)
await onSqlite.check()
database.exec('PRAGMA synchronous = OFF')
database.prepare(fillSqlite).run(count)
database.exec('PRAGMA synchronous = FULL')
await ask(onSqlite as never)
database.close()

title(`Flow: Postgres, ${count.toLocaleString('en-US')} events`)
const server = await startServer()
try {
  const pool = await newDatabase(server, 4)
  await pool.query(fillPostgres, [count])
  await pool.query('VACUUM (ANALYZE) webhook_inbox.events')
  await ask(postgresStore({ pool }) as never)
  await pool.end()
} finally {
  await server.close()
}
