import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { type Contender, compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { timingsWithCpu, title, waits } from '../harness/table.js'
import { beside } from '../harness/traffic.js'
import { newDatabase, startServer } from '../postgres/server.js'
import { body, newEvent, nothing, size } from './events.js'

const day = 86_400_000
const rounds = { turnMilliseconds: 150, rounds: 21 }

/** Keys are hashes, so they arrive in random order. That is the hardest case for a large index. */
const randomKey = () => randomBytes(32).toString('hex')

export async function growthOfPostgres(steps: readonly number[]): Promise<void> {
  title('Growth: Postgres (fsync on), events of 1 kB, a database for each size')
  const server = await startServer()
  try {
    const tables = []
    for (const count of steps) {
      tables.push(await newTable(server, count, 'done'))
    }
    timingsWithCpu('a new event, 10 at once, beside', await compare(tables.map(unseen), rounds))
    timingsWithCpu('a known event, 10 at once, beside', await compare(tables.map(known), rounds))

    const large = tables.at(-1) as Table
    const few = await newTable(server, 30_000, 'accepted')
    const behindDone = { ...large, name: `${few.name} and ${large.name}` }
    await fill(large.pool, few.count, 'accepted')
    const many = await newTable(server, large.count, 'accepted')
    const contenders = [few, behindDone, many].map(claims)
    timingsWithCpu('ten due events found, claimed and completed, of', await compare(contenders, rounds))

    // Reuse log files, and flush the filled rows now: either would delay some statements by tens of milliseconds.
    await large.pool.query('CHECKPOINT')
    const traffic = { perSecond: 200, seconds: 3, turns: 7 }
    waits('200 new events a second', [
      ['alone', 'beside pruning without a pause'],
      await beside(traffic, () => deliver(large.store), pruning(large)),
    ])
    for (const { pool } of [...tables, few, many]) {
      await pool.end()
    }
  } finally {
    await server.close()
  }
}

const unseen = ({ name, store }: Table): Contender => atOnce(10, name, () => deliver(store))

async function deliver(store: Table['store']): Promise<void> {
  const { state } = await store.once(newEvent(randomKey()), nothing)
  if (state !== 'done') {
    throw new Error(state)
  }
}

const known = ({ name, store, sample }: Table): Contender => {
  let next = 0
  return atOnce(10, name, async () => {
    const { state } = await store.once(newEvent(sample[next++ % sample.length]), nothing)
    if (state !== 'duplicate') {
      throw new Error(state)
    }
  })
}

const claims = ({ name, store }: Table): Contender =>
  atOnce(1, name, async () => {
    const due = await store.inbox.due(10, 'default')
    if (due.length < 10) {
      throw new Error('fewer than ten are due')
    }
    const outcomes = await Promise.all(due.map(({ key }) => store.once(newEvent(key), nothing)))
    for (const { state } of outcomes) {
      if (state !== 'done') {
        throw new Error(state)
      }
    }
  })

const pruning =
  ({ pool, store }: Table) =>
  async (isOver: () => boolean) => {
    while (!isOver()) {
      const count = await store.prune(new Date(Date.now() - 90 * day), 1000)
      // Add rows where the table is too small to prune that many.
      if (count === 0) {
        await fill(pool, 50_000, 'done')
      }
    }
  }

type Table = Awaited<ReturnType<typeof newTable>>

async function newTable(server: PostgresServer, count: number, state: 'done' | 'accepted') {
  const pool = await newDatabase(server, 10)
  await fill(pool, count, state)
  const sampled = 'SELECT key FROM webhook_inbox.events WHERE random() < 1000.0 / $1 LIMIT 1000'
  const { rows } = await pool.query(sampled, [count])
  const sample: string[] = rows.map(({ key }) => key)
  return { name: `${size(count)} ${state}`, count, pool, store: postgresStore({ pool }), sample }
}

/** Fills the table by SQL. Its done events can be pruned. */
async function fill(pool: pg.Pool, count: number, state: 'done' | 'accepted'): Promise<void> {
  const step = 100_000
  for (let from = 0; from < count; from += step) {
    await pool.query(
      `INSERT INTO webhook_inbox.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued,
         received_at, due_at, done_at, keep_until)
       SELECT encode(sha256((random() || ' ' || n)::bytea), 'hex'), 'default', 'evt_' || n, 'transfer.settled', '2026-01-02T03:04:05Z',
         repeat('f', 64), $2, $1, 1, true, now() - interval '101 days', CASE WHEN $1 = 'accepted' THEN now() END,
         CASE WHEN $1 = 'done' THEN now() - interval '100 days' END,
         CASE WHEN $1 = 'done' THEN now() - interval '10 days' END
       FROM generate_series($3::int + 1, $4::int) AS n`,
      [state, body, from, Math.min(from + step, count)],
    )
  }
  await pool.query('VACUUM (ANALYZE) webhook_inbox.events')
}
