import { performance } from 'node:perf_hooks'
import { HandlerFailure } from '../../../errors.js'
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js'
import { busy, constraint, resultCode } from './sqlite-fault.js'
import { WriteQueue } from './write-queue.js'

/** How long to wait before the lock is retried while another process writes, in milliseconds. */
const shortestPause = 2
const longestPause = 50

export interface WriteOptions {
  /**
   * True if a failed write may have changed something. Then it is rolled back separately. A single statement rolls
   * itself back.
   */
  readonly hasSeveralSteps?: boolean
  /**
   * True for a part of long work, such as a plan of 100,000 events. It takes turns with the other writes, in a transaction of
   * its own, and is not synced to the disk. So a power failure may undo the last parts. The next
   * write of another kind syncs them too.
   */
  readonly isPart?: boolean
}

interface Write extends Required<WriteOptions> {
  readonly run: () => unknown
  /** Milliseconds, by the monotonic clock. */
  readonly since: number
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gathers the writes of one turn of the event loop into one transaction, so that they share one sync of the disk. A
 * write settles only after its transaction has committed. If one write fails, the others continue. If the commit fails for a
 * common reason, such as a full disk, every write fails. A write may run twice, but commits once at most. The exception is a
 * write of user code that ends the transaction: what ran before it can commit twice.
 *
 * While another process holds the write lock, the event loop continues, and the group waits and grows.
 */
export class GroupCommit {
  readonly #database: SqliteDatabase
  readonly #patience: number
  readonly #onCommit: (isPart: boolean) => void
  readonly #begin: SqliteStatement
  readonly #commit: SqliteStatement
  readonly #rollback: SqliteStatement
  readonly #probe: SqliteStatement
  readonly #savepoint: SqliteStatement
  readonly #release: SqliteStatement
  readonly #rollbackTo: SqliteStatement
  readonly #queue = new WriteQueue<Write>()
  #isSynced = true
  #isScheduled = false
  #pause = shortestPause

  /** `onCommit` is called after each commit, before its writes are told. */
  constructor(database: SqliteDatabase, busySeconds: number, onCommit: (isPart: boolean) => void) {
    this.#database = database
    this.#onCommit = onCommit
    this.#patience = busySeconds * 1000
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
    this.#probe = database.prepare('BEGIN')
    this.#savepoint = database.prepare('SAVEPOINT webhook_inbox_write')
    this.#release = database.prepare('RELEASE webhook_inbox_write')
    this.#rollbackTo = database.prepare('ROLLBACK TO webhook_inbox_write')
  }

  /** Whether a write waits for its transaction. */
  get isWaiting(): boolean {
    return !this.#queue.isEmpty
  }

  /** Runs a synchronous write in the next transaction; resolves to its value when that is committed. */
  write<T>(run: () => T, { hasSeveralSteps = false, isPart = false }: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add({ run, hasSeveralSteps, isPart, since: performance.now(), resolve, reject })
      this.#schedule()
    })
  }

  /** Commits what waits, without waiting for the turn to end. */
  flush(): void {
    while (!this.#queue.isEmpty) {
      this.#commitNext('fail')
    }
  }

  #commitNext(ifBusy: 'wait' | 'fail'): void {
    const group = this.#queue.take()
    this.#commitGroup(group, ifBusy)
    if (group.some(({ isPart }) => isPart)) {
      this.#syncAgain()
    }
  }

  #schedule(milliseconds = 0): void {
    if (this.#isScheduled || this.#queue.isEmpty) {
      return
    }
    this.#isScheduled = true
    const next = () => {
      this.#isScheduled = false
      this.#commitNext('wait')
      this.#schedule(this.#pause > shortestPause ? this.#pause : 0)
    }
    // Runs after the poll phase. All data that the sockets received in this turn is then in the queue.
    if (milliseconds === 0) {
      setImmediate(next)
    } else {
      setTimeout(next, milliseconds)
    }
  }

  #commitGroup(group: readonly Write[], ifBusy: 'wait' | 'fail'): void {
    const isPart = group.some((write) => write.isPart)
    try {
      this.#setSync(!isPart)
      this.#begin.run()
      this.#pause = shortestPause
    } catch (error) {
      if (ifBusy === 'wait' && resultCode(error) === busy) {
        this.#putBack(group, error)
      } else {
        for (const write of group) {
          write.reject(error)
        }
      }
      return
    }
    const settle: (() => void)[] = []
    try {
      for (const write of group) {
        settle.push(this.#runOne(write))
      }
      this.#commit.run()
    } catch (error) {
      this.#undo()
      if (group.length > 1 && isOfOneWrite(error)) {
        this.#commitEach(group)
      } else {
        for (const write of group) {
          write.reject(error)
        }
      }
      return
    }
    for (const each of settle) {
      each()
    }
    this.#onCommit(isPart)
  }

  /** Whether commits wait for the disk. Throws within a transaction. */
  #setSync(isOn: boolean): void {
    if (isOn !== this.#isSynced) {
      this.#database.exec(`PRAGMA synchronous = ${isOn ? 'FULL' : 'NORMAL'}`)
      this.#isSynced = isOn
    }
  }

  /** For what the user writes on the same handle. */
  #syncAgain(): void {
    try {
      this.#setSync(true)
    } catch {
      // A transaction is still open. The next write tries again, and fails if it is not closed then.
    }
  }

  #commitEach(group: readonly Write[]): void {
    for (const write of group) {
      this.#commitGroup([write], 'fail')
    }
  }

  /** Returns how the write settles once the group is committed. Throws if no transaction is left to commit. */
  #runOne({ run, hasSeveralSteps, resolve, reject }: Write): () => void {
    if (hasSeveralSteps) {
      this.#savepoint.run()
    }
    try {
      const value = run()
      if (hasSeveralSteps) {
        this.#release.run()
      }
      return () => resolve(value as never)
    } catch (error) {
      // On a full or failing disk SQLite may roll back by itself (sqlite.org/lang_transaction.html). The steps before are
      // gone then, and the next step would commit on its own. User code may have ended the transaction, and begun another one.
      if (!this.#isInTransaction() || (hasSeveralSteps && !this.#undoSteps())) {
        throw error
      }
      return () => reject(error)
    }
  }

  /** Returns false if the savepoint of the write is gone. */
  #undoSteps(): boolean {
    try {
      this.#rollbackTo.run()
      this.#release.run()
      return true
    } catch {
      return false
    }
  }

  /** Every driver rejects a nested transaction. This is the only check that works with all of them. */
  #isInTransaction(): boolean {
    try {
      this.#probe.run()
    } catch {
      return true
    }
    this.#rollback.run()
    return false
  }

  #undo(): void {
    try {
      this.#rollback.run()
    } catch {
      // SQLite has rolled back by itself.
    }
  }

  #putBack(group: readonly Write[], error: unknown): void {
    const now = performance.now()
    const isPatient = ({ since }: Write) => now - since < this.#patience
    this.#queue.putBack(group.filter(isPatient))
    this.#pause = Math.min(this.#pause * 2, longestPause)
    for (const write of group) {
      if (!isPatient(write)) {
        write.reject(error)
      }
    }
  }
}

/** A deferred constraint, a trigger that rolls back, and user code that ends the transaction are the fault of one write. */
const isOfOneWrite = (error: unknown) => resultCode(error) === constraint || error instanceof HandlerFailure
