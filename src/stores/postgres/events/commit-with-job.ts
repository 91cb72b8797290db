import { StoreError } from '../../../errors.js'
import { isPassing, postgresFault } from '../connection/postgres-fault.js'
import {
  type Database,
  type First,
  type Found,
  type Limits,
  type Session,
  shortly,
} from '../connection/transactions.js'

/** The result of {@link tryWithJob} if another transaction held a lock. */
export const passing = Symbol('passing')

/** `enqueue` marks the errors of a queue, so that they are not taken for errors of the database. */
type WorkWithJob<Tx, T> = (
  session: Session<Tx>,
  enqueue: (write: () => Promise<void>) => Promise<void>,
  found: Found,
) => Promise<T>

/**
 * Runs work in one transaction with the writes of a queue. Rejects with the error of `enqueue`, or with a `StoreError` for an
 * error of the database. If a retry may succeed soon, resolves instead. `found` is the result of the first statement.
 */
export async function tryWithJob<Tx, T>(
  database: Database<Tx>,
  doing: string,
  limits: Limits,
  work: WorkWithJob<Tx, T>,
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

interface Terms {
  readonly doing: string
  readonly whenBusy: string
  readonly limits?: Limits
}

/** The same for an operator. If another transaction held a lock, rejects with a `StoreError` that says `whenBusy`. */
export async function commitWithJob<Tx, T>(
  database: Database<Tx>,
  { doing, whenBusy, limits = shortly }: Terms,
  work: WorkWithJob<Tx, T>,
): Promise<T> {
  const outcome = await tryWithJob(database, doing, limits, work)
  if (outcome === passing) {
    throw new StoreError(whenBusy, { reason: 'busy' })
  }
  return outcome
}
