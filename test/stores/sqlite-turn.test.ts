import { afterAll, beforeEach, expect, test } from 'vitest'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing, open } from './sqlite-rig.js'

let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
beforeEach(async () => {
  database = open(newFile())
  store = sqliteStore(database)
  await store.check()
})
afterAll(removeFiles)

/** Accepts events of one resource, one after the other. */
async function accepted(count: number, resource = 'one account') {
  const events = Array.from({ length: count }, () => newEvent({ resource }))
  for (const event of events) {
    await store.inbox.accept(event, nothing)
  }
  return events as [Event, Event, Event]
}
type Event = ReturnType<typeof newEvent>

const dueKeys = async () => (await store.inbox.due(10, 'default')).map(({ key }) => key)

/** Returns the events that a search for due events reads. */
const looked = () =>
  (
    database
      .prepare(
        `SELECT id FROM webhook_inbox_events
         WHERE endpoint = 'default' AND waits = 0 AND state IN ('accepted', 'failed') ORDER BY seq`,
      )
      .all() as { id: string }[]
  ).map(({ id }) => id)

test('a search for due events skips those that wait for another of their resource', async () => {
  const [first, second, third] = await accepted(3)
  const [other] = await accepted(1, 'another account')
  expect(looked()).toEqual([first.id, other.id])
  await store.once(first, nothing)
  expect(looked()).toEqual([second.id, other.id])
  await store.inbox.markDead(second.key, 'given up')
  expect(looked()).toEqual([third.id, other.id])
  await store.inbox.requeue(first.key, { reason: 'test', actor: 'test' }, nothing)
  expect(await dueKeys()).toEqual([other.key, first.key])
  await store.once(first, nothing)
  expect(looked()).toEqual([third.id, other.id])
})

test.each([
  ['ends', "UPDATE webhook_inbox_events SET state = 'done' WHERE key = ?"],
  ['deletes', 'DELETE FROM webhook_inbox_events WHERE key = ?'],
])('an event is due when something else %s the one it waited for', async (_, sql) => {
  const [first, second, third] = await accepted(3)
  database.prepare(sql).run(first.key)
  expect(await dueKeys()).toEqual([second.key])
  database.prepare(sql).run(second.key)
  expect(await dueKeys()).toEqual([third.key])
})

test('an event accepted by an older program, without order, still waits for its turn', async () => {
  const [first, second] = await accepted(2)
  database.exec('UPDATE webhook_inbox_events SET waits = 0')
  expect(await dueKeys()).toEqual([first.key])
  await store.once(first, nothing)
  expect(await dueKeys()).toEqual([second.key])
})

/** Returns the query plan of every query. */
async function plans(run: (store: ReturnType<typeof sqliteStore>) => Promise<unknown>): Promise<string> {
  const plan: string[] = []
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    const all: typeof statement.all = (...values) => {
      plan.push(
        ...(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]).map(
          ({ detail }) => detail,
        ),
      )
      return statement.all(...values)
    }
    return { run: (...values: Parameters<typeof statement.run>) => statement.run(...values), all }
  }
  const own = sqliteStore({ exec: (sql: string) => database.exec(sql), close: () => {}, prepare })
  await own.check()
  plan.length = 0
  await run(own)
  return plan.join('\n')
}

test('due events are found by an index, without sorting', async () => {
  const plan = await plans((store) => store.inbox.due(10, 'default'))
  expect(plan).toContain('USING INDEX webhook_inbox_events_due (endpoint=? AND waits=? AND due_at<?)')
  expect(plan).not.toContain('USE TEMP B-TREE')
})

test('the first event of a resource is found by an index', async () => {
  const [event] = await accepted(1)
  const plan = await plans((store) => store.inbox.nextForResource(event.key))
  expect(plan).toContain('webhook_inbox_events_turn (endpoint=? AND resource=?)')
  expect(plan).not.toContain('SCAN')
})

test('the audits of a subject are found by an index, without sorting', async () => {
  const query = { endpoint: 'default', subject: 'default:other', after: '7' }
  const plan = await plans(async (store) => store.inbox.auditLog?.list(query))
  expect(plan).toContain('webhook_inbox_audits_by_subject (subject=?')
  expect(plan).not.toContain('USE TEMP B-TREE')
})

test('health reads no row of an event, because rows contain bodies', async () => {
  const plan = await plans((store) => store.inbox.health())
  expect(plan).not.toMatch(/SCAN webhook_inbox_events(?! USING COVERING INDEX)/)
})
