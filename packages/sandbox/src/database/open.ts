import { closeSync, openSync } from 'node:fs'
import Libsql from 'libsql'
import { lockFile } from './lock.js'
import { migrations } from './migrations.js'

/** A value that SQLite stores. Anything else, such as a boolean, aborts the process inside the driver. */
export type SqliteValue = string | number | Uint8Array | null

export interface Statement {
  run(...values: readonly SqliteValue[]): { readonly changes: number; readonly lastInsertRowid: number }
  get(...values: readonly SqliteValue[]): unknown
  all(...values: readonly SqliteValue[]): unknown[]
}

export interface Database {
  /** Prepares a statement once; the same text gives the same statement again. */
  prepare(sql: string): Statement
  exec(sql: string): void
  /** Returns a function that runs `work` in one transaction. Inside an open transaction it joins that one. */
  transaction<Result>(work: () => Result): () => Result
  readonly inTransaction: boolean
  /** Calls `run` once the open transaction is committed, or immediately if none is open. Never after a rollback. */
  afterCommit(run: () => void): void
  close(): void
}

/**
 * Opens the database of a sandbox and applies the migrations that it lacks.
 * `':memory:'` ends with the process. A file is synced to the disk at every commit (WAL, synchronous=FULL).
 * One sandbox at a time may open a file. Throws if another one has it (`SQLITE_BUSY`), if the file is newer than
 * this version, or if it is not a database.
 */
export function openDatabase(file: string): Database {
  if (file !== ':memory:') {
    createPrivate(file)
  }
  const unlock = file === ':memory:' ? () => {} : lockFile(file)
  try {
    return new OpenDatabase(openDriver(file), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Creates a missing file so that only this user may read it, because it holds keys. SQLite gives the files that it adds the same
 * permissions.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It exists, or the driver says why it cannot be created.
  }
}

function openDriver(file: string): Libsql.Database {
  const driver = new Libsql(file)
  try {
    if (file !== ':memory:') {
      driver.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;')
    }
    driver.exec('PRAGMA foreign_keys = ON;')
    migrate(driver)
    return driver
  } catch (error) {
    driver.close()
    throw error
  }
}

function migrate(driver: Libsql.Database): void {
  const { user_version: applied } = driver.prepare('PRAGMA user_version').get() as { user_version: number }
  if (applied > migrations.length) {
    throw new Error(
      `The state file is of a newer version of the sandbox (${applied}, this one knows ${migrations.length}).`,
    )
  }
  for (const [index, ddl] of migrations.entries()) {
    if (index < applied) {
      continue
    }
    driver.exec(`BEGIN IMMEDIATE; ${ddl}; PRAGMA user_version = ${index + 1}; COMMIT;`)
  }
}

class OpenDatabase implements Database {
  readonly #driver: Libsql.Database
  readonly #statements = new Map<string, Statement>()
  readonly #unlock: () => void
  #afterCommit: (() => void)[] = []

  constructor(driver: Libsql.Database, unlock: () => void) {
    this.#driver = driver
    this.#unlock = unlock
  }

  get inTransaction(): boolean {
    return this.#driver.inTransaction
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = guarded(this.#driver.prepare(sql) as unknown as Statement)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  exec(sql: string): void {
    this.#driver.exec(sql)
  }

  transaction<Result>(work: () => Result): () => Result {
    return () => {
      if (this.#driver.inTransaction) {
        return work()
      }
      this.#afterCommit = []
      const result = this.#driver.transaction(work).immediate()
      for (const run of this.#afterCommit.splice(0)) {
        run()
      }
      return result
    }
  }

  afterCommit(run: () => void): void {
    if (this.#driver.inTransaction) {
      this.#afterCommit.push(run)
    } else {
      run()
    }
  }

  close(): void {
    this.#statements.clear()
    this.#driver.close()
    this.#unlock()
  }
}

/** Throws `TypeError` for a value for which the driver would end the process. */
function guarded(statement: Statement): Statement {
  return {
    run: (...values) => statement.run(...values.map(checked)),
    get: (...values) => statement.get(...values.map(checked)),
    all: (...values) => statement.all(...values.map(checked)),
  }
}

function checked(value: SqliteValue): SqliteValue {
  if (typeof value === 'string' || Number.isFinite(value) || value === null || value instanceof Uint8Array) {
    return value
  }
  throw new TypeError(`a value of type ${typeof value} cannot be stored or searched for`)
}
