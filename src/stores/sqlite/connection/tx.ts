import { ConfigurationError, HandlerFailure } from '../../../errors.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** The transaction of a handler or a queue. Its writes and the event’s own row commit together or not at all. */
export interface SqliteTx<Database extends SqliteDatabase = SqliteDatabase> {
  /**
   * Runs a synchronous function in the transaction that marks the event done, after the handler has resolved. If it
   * throws, nothing is written, the event is not done, and it runs again. The function may be called more than once,
   * but only one call is committed. So it must only write to the database.
   *
   * It cannot be asynchronous, and a function that returns a promise does not compile. One connection has one transaction,
   * and rolling back for one handler would roll back the events of others.
   *
   * A function that ends the transaction, such as with COMMIT, is a failure of the handler, and its event is not done.
   *
   * Throws `ConfigurationError` (`transaction_misused`) once the handler has resolved. Writes of a handler that threw are
   * dropped, also those that come later.
   */
  write<Result>(run: (database: Database) => Result extends PromiseLike<unknown> ? never : Result): void
}

/** Collects writes until they are run. */
export class WriteList<Database extends SqliteDatabase> implements SqliteTx<Database> {
  readonly #writes: ((database: Database) => void)[] = []
  #isSealed = false

  write(run: (database: Database) => void): void {
    if (this.#isSealed) {
      throw new ConfigurationError(
        'transaction_misused',
        'tx.write came after the handler had settled; await what calls it',
      )
    }
    if (typeof run !== 'function') {
      throw new TypeError('tx.write takes a function')
    }
    this.#writes.push(run)
  }

  /** Takes no more writes; returns whether there are any. */
  seal(): boolean {
    this.#isSealed = true
    return this.#writes.length > 0
  }

  /** Runs in a transaction. If a write throws, throws `HandlerFailure`, because it is not an error of the store. */
  run(database: Database): void {
    for (const write of this.#writes) {
      try {
        const returned: unknown = write(database)
        if (isThenable(returned)) {
          throw new TypeError('what is passed to tx.write must be synchronous')
        }
      } catch (error) {
        throw new HandlerFailure(error)
      }
    }
  }
}

function isThenable(value: unknown): boolean {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') {
    return false
    // The write is rejected here, so the result of the promise does not matter.
  }
  ;(value as PromiseLike<unknown>).then(undefined, () => {})
  return true
}
