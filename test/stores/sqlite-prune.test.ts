import { copyFileSync } from 'node:fs'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, driver, newEvent, nothing, observed, open } from './sqlite-rig.js'

let file: string
let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
let log: string[]
beforeEach(async () => {
  log = []
  file = newFile()
  database = open(file)
  const seen = (sql: string) => log.push(sql.trim().split(/\s/)[sql.startsWith('PRAGMA') ? 1 : 0] as string)
  store = sqliteStore(observed(database, seen, seen))
  await store.check()
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, done_at, forget_at, endpoint, id, type,
      created_at, content_hash, body)
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 700)
    SELECT 'key ' || n, 'done', 0, 1000, 0, n, n, '', '', '', '', '', x'00' FROM n`)
  log.length = 0
})
afterAll(removeFiles)

const done = "SELECT count(*) FROM webhook_inbox_events WHERE state = 'done'"
const left = () => ask(database, done) as number
/** Returns the content of the database file without its log. */
function leftInFile() {
  const copy = newFile()
  copyFileSync(file, copy)
  const alone = open(copy)
  const count = ask(alone, done)
  alone.close()
  return count
}
test('prune lets deliveries run between its steps', async () => {
  let isOver = false
  const pruning = store.prune(new Date(), 1000).finally(() => {
    isOver = true
  })
  let accepted = 0
  for (; !isOver; accepted++) {
    await store.inbox.accept(newEvent(), nothing)
  }
  expect(await pruning).toBe(700)
  expect(left()).toBe(0)
  expect(ask(database, 'SELECT count(*) FROM webhook_inbox_events')).toBe(accepted)
  const between = log.slice(log.indexOf('DELETE') + 1, log.lastIndexOf('DELETE'))
  expect(between.filter((word) => word === 'INSERT').length).toBeGreaterThan(1)
})

test('prune stops at its limit, deletes the oldest first, and returns the count', async () => {
  expect(await store.prune(new Date(), 500)).toBe(500)
  expect(ask(database, 'SELECT min(done_at) FROM webhook_inbox_events')).toBe(501)
  expect(await store.prune(new Date(600), 500)).toBe(99)
  expect(left()).toBe(101)
  expect(await store.prune(new Date(), 0)).toBe(0)
})

test('prune copies its changes from the log into the file, step by step', async () => {
  expect(await store.prune(new Date(), 1000)).toBe(700)
  expect(leftInFile()).toBe(0)
  expect(ask(database, 'PRAGMA wal_autocheckpoint')).toBe(1000)
})

test('prune does not touch the log if the user disabled checkpoints', async () => {
  await store.prune(new Date(), 100)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  expect(await store.prune(new Date(), 1000)).toBe(600)
  expect(leftInFile()).toBe(600)
  expect(ask(database, 'PRAGMA wal_autocheckpoint')).toBe(0)
})

test('prune continues while a reader on another connection holds an old snapshot', async () => {
  const other = open(file)
  other.exec('BEGIN')
  expect(ask(other, done)).toBe(700)
  expect(await store.prune(new Date(), 100)).toBe(100)
  expect(ask(other, done)).toBe(700)
  other.exec('ROLLBACK')
  other.close()
})

const isBlocking = driver === 'better-sqlite3'
if (isBlocking) {
  console.info('a reader on the same connection is left out: better-sqlite3 runs nothing beside it')
}
test.skipIf(isBlocking)(
  'prune continues while a reader on the same connection holds an old snapshot',
  async () => {
    const sql = 'SELECT seq FROM webhook_inbox_events'
    const rows = (database.prepare(sql) as unknown as { iterate(): Iterator<unknown> }).iterate()
    rows.next()
    expect(() => database.exec('PRAGMA wal_checkpoint')).toThrow('locked')
    expect(await store.prune(new Date(), 100)).toBe(100)
  },
)

test.each([
  [
    'what was discarded',
    `INSERT INTO webhook_inbox_discarded (key, endpoint, undo_until) SELECT key, 'default', 1 FROM webhook_inbox_events`,
    () => store.inbox.bulk?.pruneDiscarded(1000),
  ],
  [
    'quarantined deliveries',
    `INSERT INTO webhook_inbox_quarantine (endpoint, content_hash, code, received_at, body)
     SELECT 'default', key, 'a', 1, x'' FROM webhook_inbox_events`,
    () => store.inbox.pruneQuarantine(1, 1000),
  ],
])('pruning of %s lets deliveries run between its steps', async (_, insert, prune) => {
  database.exec(insert)
  log.length = 0
  let isOver = false
  const pruning = Promise.resolve(prune()).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await store.inbox.accept(newEvent(), nothing)
  }
  expect(await pruning).toBe(700)
  const between = log.slice(log.indexOf('DELETE') + 1, log.lastIndexOf('DELETE'))
  expect(between.filter((word) => word === 'INSERT').length).toBeGreaterThan(1)
})
