import { copyFileSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, nothing, observed, open } from './sqlite-rig.js'

let file: string
let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
let log: string[]
let note: (word: string) => void
beforeEach(async () => {
  log = []
  note = (word) => log.push(word)
  file = newFile()
  database = open(file)
  const seen = (sql: string) => note(sql.trim().split(/\s/)[sql.startsWith('PRAGMA') ? 1 : 0] as string)
  store = sqliteStore(observed(database, seen, seen))
  await store.check()
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, done_at, forget_at, endpoint, id, type,
      created_at, content_hash, body)
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 700)
    SELECT 'key ' || n, 'done', 0, 1000, 0, n, n, '', '', '', '', '', x'00' FROM n`)
  log.length = 0
})
afterEach(() => vi.restoreAllMocks())
afterAll(removeFiles)

const done = "SELECT count(*) FROM webhook_inbox_events WHERE state = 'done'"
const left = () => ask(database, done) as number
/** What the file holds without its log. */
function leftInFile() {
  const copy = newFile()
  copyFileSync(file, copy)
  const alone = open(copy)
  const count = ask(alone, done)
  alone.close()
  return count
}
const copying = 'main.wal_checkpoint(PASSIVE)'

test('forgetting lets deliveries in between its steps', async () => {
  let isOver = false
  const pruning = store.prune(new Date(), 1000).finally(() => {
    isOver = true
  })
  let accepted = 0
  for (; !isOver; accepted++) await store.inbox.accept(newEvent(), nothing)
  expect(await pruning).toBe(700)
  expect(left()).toBe(0)
  expect(ask(database, 'SELECT count(*) FROM webhook_inbox_events')).toBe(accepted)
  const between = log.slice(log.indexOf('DELETE') + 1, log.lastIndexOf('DELETE'))
  expect(between.filter((word) => word === 'INSERT').length).toBeGreaterThan(1)
})

test('forgetting ends at its limit, the longest forgotten first, and tells how many it was', async () => {
  expect(await store.prune(new Date(), 500)).toBe(500)
  expect(ask(database, 'SELECT min(done_at) FROM webhook_inbox_events')).toBe(501)
  expect(await store.prune(new Date(600), 500)).toBe(99)
  expect(left()).toBe(101)
  expect(await store.prune(new Date(), 0)).toBe(0)
})

test('what is forgotten is copied from the log into the file, step by step', async () => {
  expect(await store.prune(new Date(), 1000)).toBe(700)
  expect(leftInFile()).toBe(0)
  const steps = log.filter((word) => ['DELETE', 'COMMIT', copying].includes(word)).join(' ')
  expect(steps.replaceAll(`DELETE COMMIT ${copying}`, 'step')).toMatch(/^step( step)+( DELETE COMMIT)?$/)
  expect(ask(database, 'PRAGMA wal_autocheckpoint')).toBe(1000)
})

test('forgetting leaves the log to users who have told SQLite to', async () => {
  await store.prune(new Date(), 100)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  expect(await store.prune(new Date(), 1000)).toBe(600)
  expect(leftInFile()).toBe(600)
  expect(ask(database, 'PRAGMA wal_autocheckpoint')).toBe(0)
})

test('forgetting goes on beside whoever reads what was before, on another connection or the same', async () => {
  const other = open(file)
  other.exec('BEGIN')
  expect(ask(other, done)).toBe(700)
  expect(await store.prune(new Date(), 100)).toBe(100)
  expect(ask(other, done)).toBe(700)
  other.exec('ROLLBACK')
  other.close()

  const sql = 'SELECT seq FROM webhook_inbox_events'
  const rows = (database.prepare(sql) as unknown as { iterate(): Iterator<unknown> }).iterate()
  rows.next()
  expect(() => database.exec('PRAGMA wal_checkpoint')).toThrow('locked')
  expect(await store.prune(new Date(), 100)).toBe(100)
})

test.each([
  ['few rows a step, where each takes long to copy', { row: 1 }, 47],
  ['more from step to step, where every sync is slow', { COMMIT: 4, [copying]: 2, row: 0.001 }, 13],
])('forgetting takes %s', async (_, takes: Readonly<Record<string, number>>, steps) => {
  let now = performance.now()
  let before = left()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  note = (word) => {
    log.push(word)
    now += takes[word] ?? 0
    if (word !== copying) return
    now += (before - left()) * (takes.row ?? 0)
    before = left()
  }
  expect(await store.prune(new Date(), 1000)).toBe(700)
  expect(log.filter((word) => word === 'DELETE').length).toBe(steps)
})
