import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'

/** How many rows were read, and how many of them are of the endpoint. */
export interface Counted {
  readonly mine: number
  readonly seen: number
}

/** The values of `isMine`: 1 for every endpoint or 0, and the endpoint. */
export type Mine = readonly [isAnyEndpoint: number, endpoint: string]

// Not a null for every endpoint: libsql takes a null that is the only value for an object of named ones. And no `?1`:
// better-sqlite3 takes that for a name.
export const isMine = '(? OR endpoint = ?)'

/** Counts the rows of `from`, which has `values`. It sees at most one more than `limit`, which tells that there are more. */
export function count<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  from: string,
  { mine, values = [], limit }: { mine: Mine; values?: readonly SqliteValue[]; limit: number },
): Counted {
  const sql = `
  SELECT count(*) AS seen, count(CASE WHEN ${isMine} THEN 1 END) AS mine
  FROM (SELECT endpoint FROM ${from} LIMIT ?)`
  const [found] = connection.all<Counted>(sql, ...mine, ...values, limit + 1)
  return { mine: Math.min(Number(found?.mine), limit), seen: Number(found?.seen) }
}
