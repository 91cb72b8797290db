import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/open.js'

function opened(): { database: Database; calls: string[] } {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  return { database, calls: [] }
}

test('callbacks of afterCommit run after the outermost transaction, in order', () => {
  const { database, calls } = opened()
  database.transaction(() => {
    database.afterCommit(() => calls.push(`first, open: ${database.inTransaction}`))
    database.transaction(() => database.afterCommit(() => calls.push('second')))()
    expect(calls).toEqual([])
  })()
  expect(calls).toEqual(['first, open: false', 'second'])
})

test('callbacks of afterCommit never run after a rollback', () => {
  const { database, calls } = opened()
  const failing = database.transaction(() => {
    database.afterCommit(() => calls.push('rolled back'))
    throw new Error('on purpose')
  })
  expect(failing).toThrow('on purpose')
  database.transaction(() => {})()
  expect(calls).toEqual([])
})

test('outside of a transaction, afterCommit runs its callback immediately', () => {
  const { database, calls } = opened()
  database.afterCommit(() => calls.push('now'))
  expect(calls).toEqual(['now'])
})
