import { expect, onTestFinished, test } from 'vitest'
import { bytesOf } from '../../src/database/blob.js'
import { openDatabase } from '../../src/database/open.js'
import { newestFirst } from '../../src/database/page.js'
import { readSetting, writeSetting } from '../../src/database/settings.js'
import { wipe } from '../../src/database/wipe.js'

function opened() {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  return database
}

test.each([true, undefined, {}, Number.NaN, Number.POSITIVE_INFINITY, 1n])(
  'a value that the driver cannot take is a TypeError: %s',
  (value) => {
    const database = opened()
    const read = database.prepare('SELECT ? AS value')
    for (const use of [read.get, read.all, read.run]) {
      expect(() => use(value as never)).toThrow(
        new TypeError(`a value of type ${typeof value} cannot be stored or searched for`),
      )
    }
  },
)

test('texts, numbers, bytes and null come back as they were stored', () => {
  const read = opened().prepare('SELECT ? AS first, ? AS value')
  const stored = (value: string | number | null) => (read.get(1, value) as { value: unknown }).value
  expect(['ä', 1.5, -7, null].map(stored)).toEqual(['ä', 1.5, -7, null])
  const bytes = new Uint8Array([0, 255, 7])
  expect([...bytesOf((read.get(1, bytes) as { value: Uint8Array }).value)]).toEqual([0, 255, 7])
  const [row] = read.all(1, bytes) as { value: ArrayBuffer }[]
  expect([...bytesOf(row?.value as ArrayBuffer)]).toEqual([0, 255, 7])
  expect([...bytesOf(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))]).toEqual([2, 3])
})

test('a setting is undefined until it is written, and then has its last value', () => {
  const database = opened()
  expect(readSetting(database, 'a')).toBeUndefined()
  writeSetting(database, 'a', '1')
  writeSetting(database, 'a', '2')
  writeSetting(database, 'b', '3')
  expect(['a', 'b', 'c'].map((name) => readSetting(database, name))).toEqual(['2', '3', undefined])
})

test('a database that is wiped keeps the clock and the count of its starts', () => {
  const database = opened()
  for (const name of ['clock', 'starts', 'seeded']) {
    writeSetting(database, name, `of ${name}`)
  }
  database.exec("INSERT INTO wallets (id, owner, currency, created_at) VALUES ('w', 'o', 'KES', 1)")
  database.exec(
    "INSERT INTO transfers (id, status, ledger_state, rail, source, destination, shape, minor, currency, metadata, created_at, updated_at) VALUES ('t', 'pending', 'pending', 'r', 'w', 'd', 'A', 1, 'KES', '{}', 1, 1)",
  )
  wipe(database)
  expect(['clock', 'starts', 'seeded'].map((name) => readSetting(database, name))).toEqual([
    'of clock',
    'of starts',
    undefined,
  ])
  for (const table of ['wallets', 'transfers']) {
    expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual([])
  }
  const empty = opened()
  wipe(empty)
  expect(readSetting(empty, 'clock')).toBeUndefined()
})

test('a page has the newest rows first, and those before a row', () => {
  const database = opened()
  for (const id of ['a', 'b', 'c', 'd']) {
    database
      .prepare('INSERT INTO wallets (id, owner, currency, created_at) VALUES (?, ?, ?, ?)')
      .run(id, 'o', 'KES', 1)
  }
  const idsOf = (page: Parameters<typeof newestFirst>[2]) =>
    newestFirst<{ id: string }>(database, 'wallets', page).map(({ id }) => id)
  expect(idsOf({ limit: 2 })).toEqual(['d', 'c'])
  expect(idsOf({ limit: 9, before: 3 })).toEqual(['b', 'a'])
})

test('a transaction inside another one is part of it', () => {
  const database = opened()
  expect(database.inTransaction).toBe(false)
  const failing = database.transaction(() => {
    expect(database.inTransaction).toBe(true)
    database.transaction(() => writeSetting(database, 'a', '1'))()
    throw new Error('on purpose')
  })
  expect(failing).toThrow('on purpose')
  expect(readSetting(database, 'a')).toBeUndefined()
  expect(database.transaction(() => 7)()).toBe(7)
})
