import { HandlerFailure } from '../../errors.js'
import type { SqliteDatabase } from './database.js'

/** What a handler, or a queue, writes through: its writes and the event’s own row commit together or not at all. */
export interface SqliteTx<Database extends SqliteDatabase = SqliteDatabase> {
  /**
   * Has a synchronous function write to the store’s database in the transaction that marks the event, after the handler
   * has resolved. If it throws, nothing is written, the event is not done, and it is run again. It may be called more
   * than once, but only one call is committed: let it do nothing but write.
   *
   * Everything in between must not be awaited: one connection has one transaction, and that of an asynchronous handler
   * would take its neighbours’ events with it when it is rolled back. Throws once the handler has settled.
   */
  write(run: (database: Database) => void): void
}

/** Collects writes until they are run. */
export class WriteList<Database extends SqliteDatabase> implements SqliteTx<Database> {
  readonly #writes: ((database: Database) => void)[] = []
  #isSealed = false

  write(run: (database: Database) => void): void {
    if (this.#isSealed) throw new Error('tx.write came after the handler had settled; await what calls it')
    if (typeof run !== 'function') throw new TypeError('tx.write takes a function')
    this.#writes.push(run)
  }

  /** Takes no more writes; returns whether there are any. */
  seal(): boolean {
    this.#isSealed = true
    return this.#writes.length > 0
  }

  /** Runs inside a transaction. Throws `HandlerFailure` with what a write throws: the fault is not the store’s. */
  run(database: Database): void {
    for (const write of this.#writes) {
      try {
        const returned: unknown = write(database)
        if (isThenable(returned)) throw new TypeError('what is passed to tx.write must be synchronous')
      } catch (error) {
        throw new HandlerFailure(error)
      }
    }
  }
}

function isThenable(value: unknown): boolean {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function')
    return false
    // It is refused here, so whatever it comes to is nobody’s concern.
  ;(value as PromiseLike<unknown>).then(undefined, () => {})
  return true
}
