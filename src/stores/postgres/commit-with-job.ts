import { isPassing, postgresFault } from './postgres-fault.js'
import type { Database, First, Found, Limits, Session } from './transactions.js'

/** The result of {@link commitWithJob} if another transaction held a lock. */
export const passing = Symbol('passing')

/**
 * Runs work in one transaction with the writes of a queue. Rejects with the error of `enqueue`, or with a `StoreError` for an
 * error of the database. If a retry may succeed soon, resolves instead. `found` is the result of the first statement.
 */
export async function commitWithJob<Tx, T>(
  database: Database<Tx>,
  doing: string,
  limits: Limits,
  work: (
    session: Session<Tx>,
    enqueue: (write: () => Promise<void>) => Promise<void>,
    found: Found,
  ) => Promise<T>,
  first?: First,
): Promise<T | typeof passing> {
  let thrown: { readonly error: unknown } | undefined
  const within = async (write: () => Promise<void>) => {
    try {
      await write()
    } catch (error) {
      thrown = { error }
      throw error
    }
  }
  try {
    return await database.transaction(limits, (session, found) => work(session, within, found), first)
  } catch (error) {
    if (isPassing(thrown ? thrown.error : error)) {
      return passing
    }
    if (thrown) {
      throw thrown.error
    }
    throw postgresFault(doing, error)
  }
}
