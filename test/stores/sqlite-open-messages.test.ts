import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { type SqliteDatabase, type SqliteStoreOptions, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing, open } from './sqlite-rig.js'

afterAll(removeFiles)
afterEach(() => vi.unstubAllEnvs())

/** A handle whose database gives this answer to a statement. */
function answering(sql: string, answer: string): SqliteDatabase {
  const database = open(newFile())
  return {
    exec: (text) => (text.startsWith(sql) ? undefined : database.exec(text)),
    prepare: (text) => database.prepare(text === sql ? answer : text),
    close: () => database.close(),
  }
}

function newText(): string {
  const path = newFile()
  writeFileSync(path, 'a text that is longer than the header of a database, so SQLite reads it '.repeat(20))
  return path
}

describe('a source is rejected, with what is wrong:', () => {
  test.each([
    ['', "store_volatile: '' is gone with the process; pass the path of a file"],
    [':memory:', "store_volatile: ':memory:' is gone with the process; pass the path of a file"],
    [
      undefined,
      'invalid_option: the first argument of sqliteStore is undefined; likely cause: an environment variable that is not set; ' +
        'fix: pass the path of a file, or an open database',
    ],
    [
      { prepare() {}, close() {} },
      'invalid_option: the first argument is neither a path nor an open database: it has no exec()',
    ],
    [{ exec() {}, close() {} }, 'open database: it has no prepare()'],
    [{ exec() {}, prepare() {} }, 'open database: it has no close()'],
  ])('%j', (source, message) => {
    expect(() => sqliteStore(source as never)).toThrow(message)
  })

  test.each<[SqliteStoreOptions, string]>([
    [{ busySeconds: -0.1 }, 'invalid_option: busySeconds must be zero or more seconds'],
    [{ busySeconds: Number.POSITIVE_INFINITY }, 'busySeconds must be zero or more seconds'],
    [{ maxQuarantined: 0 }, 'invalid_option: maxQuarantined must be a positive whole number'],
    [{ maxQuarantined: 1.5 }, 'maxQuarantined must be a positive whole number'],
  ])('with the options %j', (options, message) => {
    expect(() => sqliteStore('inbox.db', options)).toThrow(message)
  })

  test.each<[string, () => string | SqliteDatabase, string]>([
    [
      'a database in memory',
      () => open(':memory:'),
      'store_volatile: an in-memory database is gone with the process; pass a file',
    ],
    [
      'a database that cannot use a log',
      () => answering('PRAGMA journal_mode = WAL', "SELECT 'delete'"),
      'store_unsupported: journal_mode is delete and cannot be set to WAL',
    ],
    [
      'a database that does not sync',
      () => answering('PRAGMA synchronous', 'SELECT 1'),
      'store_volatile: synchronous is 1 and cannot be set to FULL, so a commit may be lost with the host’s power',
    ],
    [
      'an asynchronous handle',
      () => ({ exec() {}, prepare: () => ({ all: async () => [] }), close() {} }) as never,
      'store_unsupported: the handle answers asynchronously; pass a synchronous one',
    ],
    [
      'a handle of a text',
      () => open(newText()),
      'store_unsupported: the file is not an SQLite database, or it is encrypted',
    ],
  ])('%s', async (_, source, message) => {
    await expect(sqliteStore(source()).check()).rejects.toThrow(message)
  })

  test('a read-only handle', async () => {
    const database = open(newFile())
    database.exec('CREATE TABLE theirs (id TEXT); PRAGMA query_only = ON')
    await expect(sqliteStore(database).check()).rejects.toThrow('store_unsupported: the file is read-only')
  })

  test('a file in a directory that is missing, by its absolute path', async () => {
    const path = join(newFile(), 'missing', 'inbox.db')
    for (const given of [path, relative(process.cwd(), path)]) {
      await expect(sqliteStore(given).check()).rejects.toThrow(
        `store_unsupported: the file ${path} cannot be opened: does its directory exist, and may this process write to it?`,
      )
    }
  })

  test('a text, with the error of the driver as its cause', async () => {
    const path = newText()
    const error = await sqliteStore(path)
      .check()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      message: expect.stringContaining(`the file ${path} is not an SQLite database, or it is encrypted`),
      cause: expect.objectContaining({ message: expect.stringMatching(/not a database/) }),
    })
  })
})

test('a handle that is rejected stays open, because it belongs to the user', async () => {
  const database = open(newFile())
  database.exec('CREATE TABLE theirs (id TEXT); PRAGMA query_only = ON')
  await expect(sqliteStore(database).check()).rejects.toThrow('read-only')
  expect(database.prepare('SELECT 1 AS one').all()).toMatchObject([{ one: 1 }])
})

describe('for an operator in another folder', () => {
  const missing = `missing-${process.pid}.db`

  test('a missing file is not created', async () => {
    vi.stubEnv('WEBHOOK_INBOX_CLI', '1')
    await expect(sqliteStore(missing).check()).rejects.toThrow(
      `store_unsupported: ${join(process.cwd(), missing)} does not exist; run the command in the folder where your program ` +
        'runs, or give sqliteStore an absolute path',
    )
    expect(existsSync(missing)).toBe(false)
  })

  test('an absolute path, and a relative one of a file that exists, are opened', async () => {
    vi.stubEnv('WEBHOOK_INBOX_CLI', '1')
    const path = newFile()
    expect(await sqliteStore(path).inbox.accept(newEvent(), nothing)).toEqual({ state: 'accepted' })
    await sqliteStore(relative(process.cwd(), path)).check()
  })
})

test('check says what the store promises', async () => {
  expect(await sqliteStore(newFile()).check()).toEqual({
    store: expect.stringMatching(/^sqlite 3\.\d+\.\d+$/),
    scope: 'every process on this host that opens the same file',
    processCrash: 'yes',
    hostCrash: 'yes, because every commit is synced to the disk (WAL, synchronous=FULL)',
    runs: 'once for what it writes through tx.write; for anything else once, unless its process dies or it outlives its lease',
    notes: ['the file must be on a local disk: SQLite cannot share a WAL over a network'],
    warnings: expect.any(Array),
  })
})
