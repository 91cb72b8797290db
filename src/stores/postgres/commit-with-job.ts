import { isPassing, postgresFault } from './postgres-fault.js'
import type { Database, First, Found, Limits, Session } from './transactions.js'

/** What {@link commitWithJob} resolves to if another transaction stood in the way. */
export const passing = Symbol('passing')

/**
 * Runs work in one transaction with what a queue writes. What `enqueue` throws comes out unchanged, what the database
 * throws as a `StoreError`, but for what may succeed in a moment. `found` is what the first statement found.
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
