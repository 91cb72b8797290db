/** A value that SQLite can store. */
export type SqliteValue = string | number | bigint | null | Uint8Array

/**
 * An open database: what `DatabaseSync` of node:sqlite and the `Database` of better-sqlite3 and libsql have in common.
 * Every method is synchronous and throws.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
  close(): unknown
}

/** Only what the three drivers agree on: `get` is left out, because under libsql it may leave a write unfinished. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  all(...values: SqliteValue[]): unknown[]
}
