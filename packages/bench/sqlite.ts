import { createHash, randomUUID } from 'node:crypto'
import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import type { EventRef } from '../../src/store/event-ref.js'
import { bodyOf } from './harness/bodies.js'
import { type Contender, compare } from './harness/compare.js'
import { atOnce } from './harness/lanes.js'
import { driver, fileSystem, openIn, scratch } from './harness/sqlite-files.js'
import { timingsWithCpu, title } from './harness/table.js'

/**
 * Compares durable accepts and transactional `once` in SQLite with loops written by hand. Both sync every commit, use the
 * same driver, the same table and a body of 1 kB. Each contender has its own file below the working directory.
 *
 * Run it with `npm run bench -- sqlite`, or for `node:sqlite` with `npx -y -p node@24 npm run bench -- sqlite`.
 */
const body = bodyOf(1000)
const contentHash = createHash('sha256').update(body).digest('hex')
const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 2 }
const run = randomUUID()
let count = 0

function newEvent(): EventRef {
  const id = `evt_${++count}`
  const key = `${run}${count}`.padStart(64, '0')
  const { type, createdAt } = { type: 'transfer.settled', createdAt: '2026-01-02T03:04:05Z' }
  return { key, contentHash, durations, endpoint: 'default', id, type, createdAt, body }
}

const insert = `
  INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, endpoint, id, type, created_at,
    content_hash, body) VALUES ('accepted', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const claim = `
  INSERT INTO webhook_inbox_events (state, queued, attempt, key, token, lease_until, lease_span, received_at, due_at,
    endpoint, id, type, created_at, content_hash, body) VALUES ('claimed', 0, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const complete = `
  UPDATE webhook_inbox_events SET state = 'done', done_at = ?, forget_at = ?, content_hash = ?, lease_until = 0,
    last_error = NULL WHERE key = ? AND token = ? AND state <> 'done'`
const effect = 'INSERT INTO effects (event) VALUES (?)'

const directory = scratch()
let databases = 0

/** Creates a database with the tables of the store and one for the handler. */
async function newDatabase() {
  const database = openIn(directory, `${++databases}`)
  const store = sqliteStore(database)
  await store.check()
  database.exec('CREATE TABLE effects (event TEXT NOT NULL)')
  return { database, store }
}

/** Runs a fixed number of operations per transaction, in a loop. */
function byHand(
  { database }: { database: SqliteDatabase },
  group: number,
  ...steps: ((event: EventRef & { token: string }, now: number) => void)[]
) {
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')]
  return (times: number) => {
    for (let done = 0; done < times; done += group) {
      const size = Math.min(group, times - done)
      const events = Array.from({ length: size }, () => ({ ...newEvent(), token: randomUUID() }))
      for (const step of steps) {
        begin.run()
        for (const event of events) {
          step(event, Date.now())
        }
        commit.run()
      }
    }
  }
}

async function acceptByHand(group: number): Promise<Contender> {
  const made = await newDatabase()
  const statement = made.database.prepare(insert)
  const run = byHand(made, group, ({ key, endpoint, id, type, createdAt, contentHash, body }, now) => {
    statement.run(key, now, now, endpoint, id, type, createdAt, contentHash, body)
  })
  return { name: `by hand, ${group === 1 ? 'one transaction each' : `${group} a transaction`}`, run }
}

async function accept(concurrency: number): Promise<Contender> {
  const { store } = await newDatabase()
  return atOnce(concurrency, `inbox.accept, ${concurrency} at once`, async () => {
    const { state } = await store.inbox.accept(newEvent())
    if (state !== 'accepted') {
      throw new Error(state)
    }
  })
}

async function onceByHand(group: number): Promise<Contender> {
  const made = await newDatabase()
  const [claims, completes, effects] = [claim, complete, effect].map((sql) => made.database.prepare(sql)) as [
    ReturnType<SqliteDatabase['prepare']>,
    ReturnType<SqliteDatabase['prepare']>,
    ReturnType<SqliteDatabase['prepare']>,
  ]
  const run = byHand(
    made,
    group,
    ({ key, token, endpoint, id, type, createdAt, contentHash, body }, now) => {
      const times = [now + 60_000, 60_000, now, now]
      claims.run(key, token, ...times, endpoint, id, type, createdAt, contentHash, body)
    },
    ({ key, token, id, contentHash }, now) => {
      completes.run(now, now + 90 * 86_400_000, contentHash, key, token)
      effects.run(id)
    },
  )
  return { name: `by hand, ${group === 1 ? 'two transactions each' : `two transactions for ${group}`}`, run }
}

async function once(concurrency: number): Promise<Contender> {
  const { store, database } = await newDatabase()
  const statement = database.prepare(effect)
  return atOnce(concurrency, `once with tx.write, ${concurrency} at once`, async () => {
    const event = newEvent()
    const { state } = await store.once(event, async ({ tx }) => tx.write(() => void statement.run(event.id)))
    if (state !== 'done') {
      throw new Error(state)
    }
  })
}

title(
  `SQLite: durable accepts and transactional once (${driver}, WAL, synchronous=FULL, ${fileSystem(directory)})`,
)
const rounds = { turnMilliseconds: 100, rounds: 31 }
const measure = async (subject: string, contenders: Promise<Contender>[]) =>
  timingsWithCpu(subject, await compare(await Promise.all(contenders), rounds))

for (const [concurrency, ...others] of [[50, 1], [1]] as const) {
  const each = others.map(acceptByHand)
  await measure('accept an event', [acceptByHand(concurrency), accept(concurrency), ...each])
}
for (const concurrency of [50, 1]) {
  await measure('claim, complete and a row of the handler', [onceByHand(concurrency), once(concurrency)])
}
