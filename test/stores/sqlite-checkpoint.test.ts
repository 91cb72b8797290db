import { copyFileSync } from 'node:fs'
import { afterAll, beforeEach, expect, test } from 'vitest'
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

test('nothing is copied if the user disabled checkpoints', async () => {
  database.exec('PRAGMA wal_autocheckpoint = 0')
  await acceptOneByOne(50)
  expect(log).not.toContain('copied')
  expect(countInFile()).toBe(0)
})
