import type { EventRef } from '../../src/store/event-ref.js'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'
import { drivers } from './sqlite-files.js'

/** The last available driver, and a function that opens a database with it. */
export const [driver, open] = drivers.at(-1) as (typeof drivers)[number]

let count = 0

/** Returns a new event. */
export function newEvent(over: Partial<EventRef> = {}): EventRef {
  const id = `evt_${process.pid}_${++count}`
  return {
    key: `key of ${id}`,
    contentHash: `hash of ${id}`,
    durations: { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 0 },
    endpoint: 'default',
    id,
    type: 'transfer.settled',
    createdAt: '2026-01-02T03:04:05Z',
    body: new TextEncoder().encode(`body of ${id}`),
    ...over,
  }
}

export const nothing = async () => {}

/** Records every statement and every query of the database. */
export function observed(
  database: SqliteDatabase,
  note: (sql: string) => void,
  noteQuery: (sql: string) => void = () => {},
): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        all(...values) {
          noteQuery(sql)
          return statement.all(...values)
        },
        run(...values) {
          const result = statement.run(...values)
          note(sql)
          return result
        },
      }
    },
  }
}

/** Returns the only value of the only row. */
export const ask = (database: SqliteDatabase, sql: string): unknown =>
  Object.values((database.prepare(sql).all()[0] ?? {}) as object)[0]
