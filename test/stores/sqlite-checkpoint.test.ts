import { copyFileSync } from 'node:fs'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, nothing, observed, open } from './sqlite-rig.js'

afterAll(removeFiles)

let file: string
let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
let log: ('committed' | 'answered' | 'copied')[]
beforeEach(async () => {
  file = newFile()
  database = open(file)
  log = []
  const noteCommit = (sql: string) => sql === 'COMMIT' && log.push('committed')
  const noteCopy = (sql: string) => sql.includes('wal_checkpoint') && log.push('copied')
  store = sqliteStore(observed(database, noteCommit, noteCopy))
  await store.check()
  log.length = 0
  return async () => {
    await store.close()
    database.close()
  }
})

/** Accepts events with a pause after each, as deliveries of a quiet hour come. */
async function acceptOneByOne(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await store.inbox.accept(newEvent(), nothing)
    log.push('answered')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** How many events the file holds without its log. */
function countInFile(): number {
  const copy = newFile()
  copyFileSync(file, copy)
  const alone = open(copy)
  const [table] = alone.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'webhook_inbox_events'").all()
  const count = table ? ask(alone, 'SELECT count(*) FROM webhook_inbox_events') : 0
  alone.close()
  return Number(count)
}

test('commits are copied into the file long before SQLite would do it, and after the answer', async () => {
  await acceptOneByOne(50)
  expect(countInFile()).toBeGreaterThan(25)
  expect(log).toContain('copied')
  expect(log.filter((_, index) => log[index + 1] === 'copied')).not.toContain('committed')
})

test('a delivery that waits is committed before the log is copied', async () => {
  const lanes = Array.from({ length: 3 }, async () => {
    for (let i = 0; i < 30; i++) {
      await store.inbox.accept(newEvent(), nothing)
    }
  })
  await Promise.all(lanes)
  expect(log).toContain('committed')
  expect(log.slice(0, log.lastIndexOf('committed'))).not.toContain('copied')
})

/** Starts a run over dead events. Returns a function that makes steps, with a pause after each. */
async function startRun(): Promise<(count: number) => Promise<void>> {
  const bulk = store.inbox.bulk as BulkStore<never>
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
      content_hash, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 100)
    SELECT 'dead ' || n, 'dead', 1, n, 0, 'default', 'evt_' || n, 'a', '', '', x'' FROM numbers`)
  await bulk.makePlan({ id: 'plan', endpoint: 'default', action: 'discard', where: {} })
  await bulk.startRun({ id: 'run', plan: 'plan', perSecond: 100, canary: 0 }, { reason: 'a', actor: 'b' })
  await bulk.takeRun('default', 'token', 60)
  return async (count) => {
    for (let i = 0; i < count; i++) {
      const options = { most: 1, leaseSeconds: 60, undoSeconds: 60 }
      expect(await bulk.step('run', 'token', options, nothing)).toBeDefined()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
}

test('a run leaves the copy to a delivery that follows soon', async () => {
  const step = await startRun()
  while (log.at(-1) !== 'copied') {
    await acceptOneByOne(1)
  }
  await step(10)
  expect(log.at(-1)).toBe('committed')
  await acceptOneByOne(1)
  expect(log.slice(-3)).toEqual(['committed', 'answered', 'copied'])
})

test('the commits of a run are copied also without a delivery', async () => {
  const step = await startRun()
  log.length = 0
  await step(20)
  expect(log).toContain('copied')
})

test('nothing is copied if the user disabled checkpoints', async () => {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  await acceptOneByOne(50)
  expect(log).not.toContain('copied')
  expect(countInFile()).toBe(0)
})
