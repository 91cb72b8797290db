import { performance } from 'node:perf_hooks'
import { HandlerFailure, invalidOption, StoreError, transactionEnded } from '../../../errors.js'
import { isDriverValue } from '../../../store/check-values.js'
import { GroupCommit, type WriteOptions } from './group-commit.js'
import { type Opened, open } from './open.js'
import { nextTurn, Rests } from './rests.js'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-database.js'
import { busy, resultCode, sqliteFault } from './sqlite-fault.js'

/** How many commits are copied into the file together. It takes about as long as one or two commits. */
const mostInLog = 8

type Source<Database> = string | Database

/** Runs the statements of the store on a database that it opens when it is first needed. */
export class Connection<Database extends SqliteDatabase> {
  readonly #source: Source<Database>
  readonly #busySeconds: number
  readonly #statements = new Map<string, SqliteStatement>()
  readonly #rests = new Rests()
  #opened: (Opened & { readonly group: GroupCommit }) | undefined
  #isClosed = false
  #inLog = 0

  constructor(source: Source<Database>, busySeconds: number) {
    this.#source = source
    this.#busySeconds = busySeconds
  }

  /** The version of SQLite. Rejects with `ConfigurationError` if the store cannot keep its promise. */
  async check(): Promise<string> {
    await this.#patiently('open the database', () => this.#open())
    return this.#open().version
  }

  /**
   * Runs a synchronous write in the next group commit. Rejects with a `StoreError`, or with the error that `toOthers` returns.
   */
  async write<T>(
    doing: string,
    run: (database: Database) => T,
    options?: WriteOptions & { toOthers?: (error: unknown) => Error | undefined },
  ): Promise<T> {
    if (!this.#opened) {
      await this.check()
    }
    const { group, database } = this.#open()
    try {
      return await group.write(() => run(database as Database), options)
    } catch (error) {
      throw options?.toOthers?.(error) ?? sqliteFault(doing, error)
    }
  }

  /** The same for a write of several statements. If one fails, those before it are rolled back too. */
  writeSteps<T>(doing: string, run: (database: Database) => T): Promise<T> {
    return this.write(doing, run, { hasSeveralSteps: true })
  }

  /** The same for a part of long work. Deliveries do not wait for more than one part, and a power failure may undo the last parts. */
  writePart<T>(doing: string, run: (database: Database) => T): Promise<T> {
    return this.write(doing, run, { hasSeveralSteps: true, isPart: true })
  }

  /**
   * Runs user code in a savepoint of its own, within `write`. Throws `HandlerFailure` if the savepoint is gone: then the code has
   * ended the transaction, and may have committed what came before.
   */
  runApart(run: () => void): void {
    this.run('SAVEPOINT webhook_inbox_work')
    run()
    try {
      this.run('RELEASE webhook_inbox_work')
    } catch (cause) {
      throw new HandlerFailure(transactionEnded(cause))
    }
  }

  /** Runs a read. */
  async read<T>(doing: string, run: () => T): Promise<T> {
    if (!this.#opened) {
      await this.check()
    }
    return this.#patiently(doing, run)
  }

  /** Runs one read of many. The drivers are synchronous, so deliveries run before it, and in the rests between the reads. */
  async readInTurn<T>(doing: string, run: () => T): Promise<T> {
    await this.#rests.turn()
    // A delivery that came first has its commit in this turn of the event loop.
    if (this.#opened?.group.isWaiting) {
      await nextTurn()
    }
    return this.#rests.time(() => this.read(doing, run))
  }

  /** Runs a statement that writes; returns how many rows it changed. Only within `write`. */
  run(sql: string, ...values: SqliteValue[]): number {
    return Number(this.#prepared(sql).run(...checked(values)).changes)
  }

  /** The rows of a statement. Call it only in `write` and `read`. */
  all<Row>(sql: string, ...values: SqliteValue[]): Row[] {
    return this.#prepared(sql).all(...checked(values)) as Row[]
  }

  /**
   * Copies committed changes from the log into the file, without waiting for readers. Does nothing if the user
   * has turned automatic checkpoints off, as for Litestream.
   */
  checkpoint(): void {
    try {
      const [setting] = this.all<{ wal_autocheckpoint: number | bigint }>('PRAGMA wal_autocheckpoint')
      if (Number(setting?.wal_autocheckpoint) > 0) {
        this.all('PRAGMA main.wal_checkpoint(PASSIVE)')
      }
    } catch {
      // A later checkpoint copies them. If the file has an error, the next write reports it.
    }
  }

  /** Closes what was opened here. */
  close(): void {
    this.#opened?.group.flush()
    this.#isClosed = true
    if (typeof this.#source === 'string') {
      this.#opened?.database.close()
    }
    this.#statements.clear()
    this.#opened = undefined
  }

  #open(): Opened & { readonly group: GroupCommit } {
    if (this.#isClosed) {
      throw new StoreError('the store is closed')
    }
    if (!this.#opened) {
      const opened = open(this.#source)
      const group = new GroupCommit(opened.database, this.#busySeconds, (isPart) => this.#countCommit(isPart))
      this.#opened = { ...opened, group }
    }
    return this.#opened
  }

  /** Mostly, no delivery comes right after another one, but a part may end just before one. So a part leaves the copy to it. */
  #countCommit(isPart: boolean): void {
    this.#inLog++
    if (this.#inLog >= (isPart ? 2 : 1) * mostInLog) {
      setImmediate(() => this.#checkpointIfFree())
    }
  }

  /**
   * Copies the last commits into the file after their deliveries were answered, and not while others wait. SQLite itself copies a
   * thousand pages in the commit of one delivery. It still does that when deliveries leave no time in between.
   */
  #checkpointIfFree(): void {
    if (this.#inLog >= mostInLog && !this.#opened?.group.isWaiting) {
      this.#inLog = 0
      this.checkpoint()
    }
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#open().database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Tries again while another process holds a lock, without blocking the event loop. */
  async #patiently<T>(doing: string, run: () => T): Promise<T> {
    const startedAt = performance.now()
    for (let pause = 5; ; pause = Math.min(pause * 2, 50)) {
      try {
        return run()
      } catch (error) {
        const isOver = performance.now() - startedAt > this.#busySeconds * 1000
        if (resultCode(error) !== busy || isOver) {
          throw sqliteFault(doing, error)
        }
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** libsql aborts the process when it gets a boolean or an object. */
function checked(values: readonly SqliteValue[]): readonly SqliteValue[] {
  if (values.every(isDriverValue)) {
    return values
  }
  throw invalidOption('SQLite takes strings, numbers, bytes and null')
}
