import { afterAll, beforeEach, expect, test } from 'vitest'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, observed, open } from './sqlite-rig.js'

afterAll(removeFiles)

const endpoint = 'default'
const audit = { reason: 'a test', actor: 'suite' }
const events = 2000

const fill = `
  INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
    content_hash, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${events})
  SELECT 'key ' || n, 'dead', 1, n, 0, '${endpoint}', 'evt_' || n, 'a', '', '', x'' FROM numbers`

type Synced = 'synced' | 'not synced'

interface Commit {
  /** What it wrote to. */
  readonly tables: ReadonlySet<string>
  readonly sync: Synced
}

let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore<SqliteDatabase>>
let bulk: BulkStore<never>
let commits: Commit[]
let queries: string[]

const isSynced = (): Synced => (Number(ask(database, 'PRAGMA synchronous')) >= 2 ? 'synced' : 'not synced')

beforeEach(async () => {
  database = open(newFile())
  commits = []
  queries = []
  let tables = new Set<string>()
  const noteWrite = (sql: string) => {
    const table = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) (webhook_inbox_\w+)/.exec(sql)?.[1]
    if (table) {
      tables.add(table)
    } else if (sql === 'COMMIT') {
      commits.push({ tables, sync: isSynced() })
      tables = new Set()
    }
  }
  const watched = observed(database, noteWrite, (sql) => queries.push(sql))
  store = sqliteStore(watched)
  bulk = store.inbox.bulk as BulkStore<never>
  await store.check()
  database.exec(fill)
  commits.length = 0
  return async () => {
    await store.close()
    database.close()
  }
})

const deliveryTable = 'webhook_inbox_events'
const items = 'webhook_inbox_plan_items'
const plans = 'webhook_inbox_plans'

/** The first and the last write of a plan are no parts. */
const isPart = ({ tables }: Commit) => tables.has(items) && !tables.has(plans)

const makePlan = () => bulk.makePlan({ id: 'plan', endpoint, action: 'discard', where: {} })

test('the parts of a plan are not synced, but its end is', async () => {
  expect(await makePlan()).toMatchObject({ count: events })
  const added = commits.filter(isPart)
  expect(added.length).toBeGreaterThan(5)
  expect(new Set(added.map(({ sync }) => sync))).toEqual(new Set(['not synced']))
  expect(commits.at(-1)).toMatchObject({ sync: 'synced' })
  expect(commits.at(-1)?.tables).toContain(plans)
  expect(isSynced()).toBe('synced')
})

test('a delivery beside a plan has a commit of its own, which is synced', async () => {
  const planning = makePlan()
  let accepted = 0
  const accept = async () => {
    await store.inbox.accept(newEvent(), async () => {})
    accepted++
  }
  for (let isMade = false; !isMade; ) {
    isMade = await Promise.race([planning.then(() => true), accept().then(() => false)])
  }
  expect(accepted).toBeGreaterThan(5)
  const deliveries = commits.filter(({ tables }) => tables.has(deliveryTable))
  expect(deliveries.length).toBeGreaterThan(5)
  expect(new Set(deliveries.map(({ sync }) => sync))).toEqual(new Set(['synced']))
  expect(deliveries.filter(isPart)).toEqual([])
})

test('neither waits for more than one transaction of the other', async () => {
  const planning = makePlan()
  let isMade = false
  const made = planning.then(() => {
    isMade = true
  })
  while (!isMade) {
    await Promise.all(Array.from({ length: 5 }, () => store.inbox.accept(newEvent(), async () => {})))
  }
  await made
  const parts = commits.map(isPart)
  const between = parts.slice(parts.indexOf(true), parts.lastIndexOf(true))
  expect(between.length).toBeGreaterThan(10)
  expect(between.filter((part, index) => part === between[index + 1])).toEqual([])
})

test('a part that fails leaves the next delivery synced', async () => {
  database.exec(`CREATE TRIGGER bad BEFORE INSERT ON ${items} WHEN new.place > 1000
    BEGIN SELECT RAISE(ROLLBACK, 'no room for that'); END`)
  await expect(makePlan()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(isSynced()).toBe('synced')
  await store.inbox.accept(newEvent(), async () => {})
  expect(commits.at(-1)).toMatchObject({ sync: 'synced' })
})

test('the steps of a run are parts, and its end is synced', async () => {
  await makePlan()
  await bulk.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
  await bulk.takeRun(endpoint, 'token', 60)
  expect(commits.at(-1)).toMatchObject({ sync: 'synced' })
  const options = { most: 10, leaseSeconds: 60, undoSeconds: 60 }
  expect(await bulk.step('run', 'token', options, async () => {})).toMatchObject({ run: { applied: 10 } })
  expect(commits.at(-1)).toMatchObject({ sync: 'not synced' })
  await bulk.settleRun('run', 'token', { state: 'done', isPastCanary: true, leaseSeconds: 15 })
  expect(commits.at(-1)).toMatchObject({ sync: 'synced' })
})

test('a delivery goes before a step of a run that comes in the same turn', async () => {
  await makePlan()
  await bulk.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
  await bulk.takeRun(endpoint, 'token', 60)
  commits.length = 0
  const options = { most: 10, leaseSeconds: 60, undoSeconds: 60 }
  for (let turn = 0; turn < 3; turn++) {
    const step = bulk.step('run', 'token', options, async () => {})
    await Promise.all([step, store.inbox.accept(newEvent(), async () => {})])
  }
  expect(commits.map(({ sync }) => sync)).toEqual(Array(3).fill(['synced', 'not synced']).flat())
})

test.each(['discard', 'giveUp'] as const)('a step of %s reads its run once', async (action) => {
  if (action === 'giveUp') {
    database.exec("UPDATE webhook_inbox_events SET state = 'failed'")
  }
  await bulk.makePlan({ id: 'plan', endpoint, action, where: {} })
  await bulk.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, audit)
  await bulk.takeRun(endpoint, 'token', 60)
  queries.length = 0
  const options = { most: 2, leaseSeconds: 60, undoSeconds: 60 }
  expect(await bulk.step('run', 'token', options, async () => {})).toMatchObject({ run: { applied: 2 } })
  expect(queries.filter((sql) => sql.includes('json_group_object'))).toHaveLength(1)
})
