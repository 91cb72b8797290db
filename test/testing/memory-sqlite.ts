import type { SqliteDatabase } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'

/**
 * A database in memory that says it has a log, because the store takes no other. Nothing here outlives a test, and no commit
 * waits for a disk.
 */
export function memorySqlite(): SqliteDatabase {
  const database = open(':memory:')
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) =>
      /^PRAGMA journal_mode/.test(sql)
        ? ({ all: () => [{ journal_mode: 'wal' }], run: () => ({ changes: 0 }) } as never)
        : database.prepare(sql),
  }
}
