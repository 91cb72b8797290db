import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import { type Contender, compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { driver, fileSystem, openIn, scratch } from '../harness/sqlite-files.js'
import { timingsWithCpu, title, waits } from '../harness/table.js'
import { beside } from '../harness/traffic.js'
import { body, newEvent, nothing, size } from './events.js'

const directory = scratch()
const day = 86_400_000
const rounds = { turnMilliseconds: 100, rounds: 21 }

export async function growthOfSqlite(steps: readonly number[]): Promise<void> {
  title(`Growth: SQLite (${driver}, synchronous=FULL, ${fileSystem(directory)}), events of 1 kB`)
  const tables = await Promise.all(steps.map((step) => newTable({ ...done, count: step })))
  timingsWithCpu('a new event, 50 at once, beside', await compare(tables.map(unseen), rounds))
  timingsWithCpu('a known event, 50 at once, beside', await compare(tables.map(known), rounds))

  const large = tables.at(-1) as Table
  const few = await newTable({ ...accepted, count: 5000 })
  const behindDone = { ...large, firstSeq: large.count + 1, name: `${few.name} and ${large.name}` }
  fill(large.database, { ...accepted, count: 5000 })
  const many = await newTable({ ...accepted, count: large.count })
  const held = await newTable({
    ...accepted,
    count: large.count,
    resource: "'one account'",
    dueAt: heldByTheFirst,
  })
  fill(held.database, { ...accepted, count: 5000 })
  const behindHeld = {
    ...held,
    firstSeq: held.count + 1,
    name: `${few.name} and ${held.name} of a resource that waits`,
  }
  const contenders = [few, behindDone, many, behindHeld].map(claims)
  timingsWithCpu('ten due events found, claimed and completed, of', await compare(contenders, rounds))

  waits('500 new events a second', [
    ['alone', 'beside pruning without a pause'],
    await beside({ perSecond: 500, seconds: 2, turns: 9 }, () => deliver(large.store), pruning(large.store)),
  ])
}

const unseen = ({ name, database, store, count }: Table): Contender => ({
  ...atOnce(50, name, () => deliver(store)),
  rest: () => database.prepare('DELETE FROM webhook_inbox_events WHERE seq > ?').run(count),
})

async function deliver(store: Table['store']): Promise<void> {
  const { state } = await store.once(newEvent(), nothing)
  if (state !== 'done') {
    throw new Error(state)
  }
}

function known({ name, database, store, count }: Table): Contender {
  const sample = database.prepare('SELECT key FROM webhook_inbox_events WHERE seq = ?')
  const keys = Array.from({ length: 1000 }, () => {
    const [row] = sample.all(1 + Math.floor(Math.random() * count)) as { key: string }[]
    return (row as { key: string }).key
  })
  let next = 0
  return atOnce(50, name, async () => {
    const { state } = await store.once(newEvent(keys[next++ % keys.length]), nothing)
    if (state !== 'duplicate') {
      throw new Error(state)
    }
  })
}

const claims = ({ name, database, store, firstSeq }: Table): Contender => ({
  ...atOnce(1, name, async () => {
    const due = await store.inbox.due(10, 'default')
    const outcomes = await Promise.all(due.map(({ key }) => store.once(newEvent(key), nothing)))
    if (outcomes.length < 10) {
      throw new Error('fewer than ten are due')
    }
    for (const { state } of outcomes) {
      if (state !== 'done') {
        throw new Error(state)
      }
    }
  }),
  rest: () =>
    database
      .prepare(`UPDATE webhook_inbox_events SET state = 'accepted', done_at = NULL, forget_at = NULL
        WHERE state = 'done' AND seq >= ?`)
      .run(firstSeq),
})

const pruning = (store: Table['store']) => async (isOver: () => boolean) => {
  while (!isOver()) {
    if ((await store.prune(new Date(Date.now() - 90 * day), 1000)) === 0) {
      throw new Error('all is pruned')
    }
  }
}

/** A subquery that yields the numbers of the rows to insert, as `n`. */
interface Rows {
  readonly count: number
  readonly state: 'done' | 'accepted'
  readonly dueAt?: string
  readonly resource?: string
}

const done = { state: 'done' } as const
const accepted = { state: 'accepted' } as const
const heldByTheFirst = 'iif(n = 1, 9e15, 0)'

type Table = Awaited<ReturnType<typeof newTable>>

async function newTable(rows: Rows) {
  const name = `${size(rows.count)} ${rows.state}`
  const database = openIn(directory, `${++tables}`)
  const store = sqliteStore(database)
  await store.check()
  fill(database, rows)
  return { name, database, store, count: rows.count, firstSeq: 1 }
}
let tables = 0

/** Fills the table by SQL without syncing, then restores the settings of the store. Its done events can be pruned. */
function fill(database: SqliteDatabase, { count, state, dueAt = '0', resource = 'NULL' }: Rows): void {
  const doneAt = state === 'done' ? Date.now() - 100 * day : 'NULL'
  const statement = database.prepare(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, done_at, forget_at, resource,
      waits, endpoint, id, type, created_at, content_hash, body)
    WITH RECURSIVE numbers (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
    SELECT lower(hex(randomblob(32))), '${state}', 1, 1, ${Date.now()}, ${dueAt}, ${doneAt}, ${doneAt}, ${resource},
      ${resource} IS NOT NULL AND n > 1, 'default', 'evt_' || n, 'transfer.settled', '2026-01-02T03:04:05Z', lower(hex(randomblob(32))), ? FROM numbers`)
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000')
  const step = 50_000
  for (let from = 0; from < count; from += step) {
    statement.run(from + 1, Math.min(step, count - from), body)
  }
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -2000')
}
