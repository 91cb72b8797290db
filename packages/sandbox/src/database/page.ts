import type { Database } from './open.js'

/** Which rows of a list. */
export interface Page {
  /** At most this many. */
  readonly limit: number
  /** Only what was stored before the row with this `seq`. */
  readonly before?: number | undefined
}

type Listed = 'wallets' | 'transfers' | 'approvals' | 'events' | 'subscriptions'

/** One page of a table, the newest row first. */
export function newestFirst<Row>(
  database: Database,
  table: Listed,
  { limit, before = Number.MAX_SAFE_INTEGER }: Page,
): Row[] {
  const sql = `SELECT * FROM ${table} WHERE seq < ? ORDER BY seq DESC LIMIT ?`
  return database.prepare(sql).all(before, limit) as Row[]
}
