import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import { migrations } from '../../src/stores/sqlite/migrations/sqlite-migrations.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { ask, newEvent, nothing, open } from './sqlite-rig.js'

afterAll(removeFiles)

const refusal = (code: string) => expect.objectContaining({ name: 'ConfigurationError', code })

const events = (database: SqliteDatabase) => ask(database, 'SELECT count(*) FROM webhook_inbox_events')

describe('the settings of the database', () => {
  test('are set, and read back', async () => {
    const database = open(newFile())
    database.exec('PRAGMA synchronous = OFF')
    const guarantee = await sqliteStore(database).check()
    expect(ask(database, 'PRAGMA synchronous')).toBe(2)
    expect(ask(database, 'PRAGMA journal_mode')).toBe('wal')
    expect(ask(database, 'PRAGMA busy_timeout')).toBeLessThanOrEqual(50)
    expect(guarantee.store).toMatch(/^sqlite 3\./)
  })

  test.each([
    ['3.9.2', true],
    ['3.45.1', true],
    ['3.51.2', true],
    ['3.51.3', false],
    ['3.52.0', false],
    ['4.0.0', false],
  ])('SQLite %s can lose a commit of several processes: %s', async (version, isOld) => {
    const database = open(newFile())
    const handle: SqliteDatabase = {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => database.prepare(sql === 'SELECT sqlite_version()' ? `SELECT '${version}'` : sql),
      close: () => database.close(),
    }
    const { store, warnings } = await sqliteStore(handle).check()
    expect(store).toBe(`sqlite ${version}`)
    expect(warnings?.join().includes('SQLite before 3.51.3 can lose a commit')).toBe(isOld)
  })

  test('synchronous may be stricter, but a handle with a weaker setting is rejected', async () => {
    const database = open(newFile())
    const stubborn = (level: number): SqliteDatabase => ({
      exec: (sql) => (sql.includes('synchronous') ? undefined : database.exec(sql)),
      prepare: (sql) => database.prepare(sql === 'PRAGMA synchronous' ? `SELECT ${level}` : sql),
      close: () => database.close(),
    })
    await expect(sqliteStore(stubborn(1)).check()).rejects.toEqual(refusal('store_volatile'))
    await expect(sqliteStore(stubborn(3)).check()).resolves.toBeDefined()
  })

  test.each(['', ':memory:'])('a path that is no file is rejected: %j', (path) => {
    expect(() => sqliteStore(path)).toThrow(refusal('store_volatile'))
  })

  test('an in-memory handle is rejected', async () => {
    await expect(sqliteStore(open(':memory:')).check()).rejects.toEqual(refusal('store_volatile'))
  })

  test('a file that cannot be opened is named', async () => {
    const path = join(newFile(), 'missing', 'inbox.sqlite')
    const check = sqliteStore(path).check()
    await expect(check).rejects.toEqual(refusal('store_unsupported'))
    await expect(check).rejects.toThrow(`the file ${path} cannot be opened`)
  })

  test('a file that is no database is named', async () => {
    const path = newFile()
    writeFileSync(
      path,
      'a text that is longer than the header of a database, so that SQLite reads it'.repeat(20),
    )
    await expect(sqliteStore(path).check()).rejects.toThrow(`the file ${path} is not an SQLite database`)
  })

  test('a read-only handle is rejected', async () => {
    const path = newFile()
    open(path).exec('CREATE TABLE theirs (id TEXT)')
    const database = open(path)
    database.exec('PRAGMA query_only = ON')
    await expect(sqliteStore(database).check()).rejects.toEqual(refusal('store_unsupported'))
  })

  test('an asynchronous handle is rejected', async () => {
    const { Database } = createRequire(import.meta.url)('libsql/promise') as {
      Database: new (path: string) => SqliteDatabase
    }
    const handle = typeof Database === 'function' ? new Database(newFile()) : undefined
    const asynchronous = handle ?? {
      exec: async () => {},
      prepare: () => ({ all: async () => [], run: async () => ({ changes: 0 }) }),
      close: () => {},
    }
    await expect(sqliteStore(asynchronous as never).check()).rejects.toBeInstanceOf(ConfigurationError)
  })

  test.each([undefined, null, 5, {}, { exec() {}, prepare() {} }])(
    '%j is neither a path nor a handle',
    (source) => {
      expect(() => sqliteStore(source as never)).toThrow(refusal('invalid_option'))
    },
  )

  test.each([undefined, null])('%j is named, with its likely cause', (source) => {
    expect(() => sqliteStore(source as never)).toThrow(
      `the first argument of sqliteStore is ${source}; likely cause: an environment variable that is not set`,
    )
  })

  test('options are checked', () => {
    expect(() => sqliteStore('x.db', { busySecond: 1 } as never)).toThrow(refusal('unknown_option'))
    for (const busySeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1'] as number[]) {
      expect(() => sqliteStore('x.db', { busySeconds })).toThrow(refusal('invalid_option'))
    }
  })

  test('a file that is not a database is rejected', async () => {
    const path = newFile()
    writeFileSync(path, 'this is not a database, but it is long enough to be taken for one. '.repeat(50))
    await expect(sqliteStore(path).check()).rejects.toEqual(refusal('store_unsupported'))
  })

  test('a missing directory is named as the cause', async () => {
    await expect(sqliteStore(join(newFile(), 'missing', 'inbox.db')).check()).rejects.toThrow('directory')
  })

  test('the first process creates the tables, and tables of a newer version are not changed', async () => {
    const path = newFile()
    await Promise.all(Array.from({ length: 8 }, () => sqliteStore(path).check()))
    const database = open(path)
    expect(database.prepare('SELECT version FROM webhook_inbox_schema').all()).toMatchObject(
      migrations.map((_, index) => ({ version: index + 1 })),
    )
    database.exec(
      'INSERT INTO webhook_inbox_schema VALUES (99); ALTER TABLE webhook_inbox_events ADD COLUMN x TEXT',
    )
    const store = sqliteStore(path)
    expect(await store.inbox.accept(newEvent(), nothing)).toEqual({ state: 'accepted' })
  })

  test('close commits waiting events and closes only handles that the store opened', async () => {
    const path = newFile()
    const database = open(path)
    const [own, foreign] = [sqliteStore(path), sqliteStore(database)]
    for (const store of [own, foreign]) {
      await store.check()
      const waiting = store.inbox.accept(newEvent(), nothing)
      await new Promise(setImmediate)
      await store.close()
      await store.close()
      await waiting
      await expect(store.inbox.accept(newEvent(), nothing)).rejects.toThrow('the store is closed')
      await expect(store.inbox.health()).rejects.toThrow(StoreError)
    }
    expect(events(database)).toBe(2)
  })
})
