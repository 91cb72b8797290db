import { createReceiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSecret } from 'webhook-inbox/testing'
import { acceptFor } from './harness/accept.js'
import { bodyOf } from './harness/bodies.js'
import { quantile } from './harness/compare.js'
import { openIn, scratch } from './harness/sqlite-files.js'
import { table, title } from './harness/table.js'
import { newDatabase, startServer } from './postgres/server.js'

/**
 * Measures how long accepted deliveries take beside a backlog, and the memory of the process. No handler runs beside them. Phases
 * with an inbox that began empty and with the backlog alternate, so that a busy machine slows both.
 *
 * `npm run bench -- backlog`. `--small` takes a hundredth of the events, and shorter phases.
 */
const isSmall = process.argv.includes('--small')
const count = isSmall ? 10_000 : 1_000_000
const phaseSeconds = isSmall ? 2 : 5
const rounds = 5

const values = { start: Date.now() - 3_600_000, body: bodyOf(1000) }

const fillSqlite = `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at, content_hash, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?1)
  SELECT lower(hex(randomblob(32))), 'accepted', 1, CAST(?2 + n AS INTEGER), CAST(?2 + n AS INTEGER), 'default', 'evt_' || n,
    'transfer.settled', '', '', ?3 FROM numbers`

const fillPostgres = `
  INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, queued, attempt,
    due_at)
  SELECT encode(sha256((random() || ' ' || n)::bytea), 'hex'), 'default', 'evt_' || n, 'transfer.settled', '', '', $2::bytea,
    'accepted', true, 0, now() FROM generate_series(1, $1::int) AS n`

async function sqliteInbox(isFull: boolean): Promise<Store<never>> {
  const database = openIn(scratch(), `backlog_${isFull}`)
  const store = sqliteStore(database)
  await store.check()
  if (isFull) {
    database.prepare(fillSqlite).run(count, values.start, values.body)
  }
  return store as never
}

const open = (store: Store<never>) =>
  createReceiver({
    secret: testSecret,
    store,
    queue: localQueue({ onError() {} }),
    logger: false,
    fallback() {},
  } as never)

async function measure(engine: string, empty: Store<never>, full: Store<never>): Promise<void> {
  const contestants = [empty, full].map((store) => ({ store, phases: [] as number[][], megabytes: 0 }))
  for (let round = -1; round < rounds; round++) {
    for (const contestant of contestants) {
      const receiver = open(contestant.store)
      await receiver.start({ consume: false })
      const taken = await acceptFor(receiver, phaseSeconds)
      contestant.megabytes = Math.max(contestant.megabytes, process.memoryUsage().heapUsed / 1_048_576)
      await receiver.stop()
      if (round >= 0) {
        contestant.phases.push(taken)
      }
    }
  }
  const each = contestants.map(({ phases }) =>
    [0.5, 0.99].map((part) => phases.map((all) => quantile(all, part))),
  )
  const ratio = (part: number) =>
    quantile(
      each[1]?.[part]?.map((own, round) => own / (each[0]?.[part]?.[round] as number)) ?? [],
      0.5,
    ).toFixed(2)
  table(
    [engine, 'median', 'p99', 'largest heap'],
    [
      ...['empty', `${count.toLocaleString('en-US')} waiting`].map((name, index) => [
        name,
        ...(each[index] ?? []).map((all) => `${quantile(all, 0.5).toFixed(2)} ms`),
        `${contestants[index]?.megabytes.toFixed(0)} MB`,
      ]),
      ['ratio', ratio(0), ratio(1), ''],
    ],
  )
}

title('Accepts beside a backlog: each figure is the median of the phases')
await measure('SQLite', await sqliteInbox(false), await sqliteInbox(true))
const server = await startServer()
const pools = [await newDatabase(server, 15), await newDatabase(server, 15)] as const
await pools[1].query(fillPostgres, [count, values.body])
await pools[1].query('VACUUM (ANALYZE) webhook_inbox.events')
await measure(
  'Postgres',
  postgresStore({ pool: pools[0] }) as never,
  postgresStore({ pool: pools[1] }) as never,
)
await Promise.all(pools.map((pool) => pool.end()))
await server.close()
