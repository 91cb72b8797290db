import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Connection } from '../../src/stores/sqlite/connection/connection.js'
import { sqliteLeases } from '../../src/stores/sqlite/events/sqlite-leases.js'
import { type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { root, sourceFiles } from '../package/imports.js'
import { drivers, newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

/** A store in a directory that does not exist. */
const makeUnreachable = () => sqliteStore('/nonexistent/inbox.db')

/** What a write may do to the transaction in which it runs. */
const misuses = Object.fromEntries(
  ['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN'].map((sql) => [
    sql,
    (tx: SqliteTx) => tx.write((database) => void database.exec(sql)),
  ]),
)

describe.each(drivers)('the SQLite store over an open handle of %s', (_, open) => {
  const handle = open(newFile())
  handle.exec('CREATE TABLE words (word TEXT PRIMARY KEY)')
  const make = () => sqliteStore(handle)

  storeSuite(test, make, { makeUnreachable })
  inboxSuite(test, make, {
    write: (tx: SqliteTx, word) =>
      tx.write((database) => database.prepare('INSERT INTO words VALUES (?)').run(word)),
    written: () =>
      handle
        .prepare('SELECT word FROM words')
        .all()
        .map((row) => (row as { word: string }).word),
    misuses,
    lacks: ['take'],
  })
})

describe('the SQLite store over a path, with a connection for each instance', () => {
  const path = newFile()
  const words = open(path)
  words.exec('PRAGMA busy_timeout = 5000; CREATE TABLE words (word TEXT PRIMARY KEY)')
  const make = () => sqliteStore(path)

  storeSuite(test, make, { makeUnreachable })
  inboxSuite(test, make, {
    write: (tx: SqliteTx, word) =>
      tx.write((database) => database.prepare('INSERT INTO words VALUES (?)').run(word)),
    written: () =>
      words
        .prepare('SELECT word FROM words')
        .all()
        .map((row) => (row as { word: string }).word),
    misuses,
    lacks: ['take'],
  })
})

describe('the verbs of the SQLite store', () => {
  const path = newFile()
  leaseSuite(test, () => {
    const connection = new Connection(path, 2)
    const { begin: _, ...verbs } = sqliteLeases(connection)
    return {
      ...verbs,
      check: async () => ({ store: '', scope: '', processCrash: '', hostCrash: '', runs: '' }),
      close: async () => connection.close(),
    }
  })
})

test('no statement has a numbered parameter, which better-sqlite3 takes for a name', () => {
  const files = sourceFiles('src/stores/sqlite')
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => /\?\d/.test(sqlOf(readFileSync(join(root, file), 'utf8'))))).toEqual([])
})

/** The source without its comments. */
const sqlOf = (source: string) => source.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
