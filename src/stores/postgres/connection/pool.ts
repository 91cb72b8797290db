import { transactionEnded } from '../../../errors.js'
import { Opening } from '../pipelining/opening.js'
import { type CheckedOut, checkOut } from './check-out.js'
import { lend } from './lent-client.js'
import type { PgClient, PgPool } from './pg-client.js'
import { sqlState } from './postgres-fault.js'
import {
  type Begun,
  type Database,
  type First,
  type Limits,
  NotCommitted,
  type Session,
  savepoint,
  shortly,
} from './transactions.js'

/** How many clients the pool may have. `undefined` if it does not say: it may be wrapped by another library. */
export function sizeOf(pool: PgPool): number | undefined {
  try {
    const { max } = (pool as { readonly options?: { readonly max?: unknown } }).options ?? {}
    return typeof max === 'number' ? max : undefined
  } catch {
    return undefined
  }
}

/** Transactions on clients of a pool: the client is the transaction. */
export function poolDatabase<Tx>(pool: PgPool, options: { readonly pipelining: boolean }): Database<Tx> {
  // The pool drops an idle client whose server went away, and emits `error`. Without a listener that ends the process.
  const ignore = () => {}
  pool.on('error', ignore)
  // A server may reject a connection in the same packet in which it accepted it. Then the client emits `error` before
  // the promise of `pool.connect` has resolved, and no listener exists yet.
  const guard = (client: PgClient) => client.on('error', ignore)
  pool.on('connect', guard)
  const opening = new Opening(options)

  async function alone<T>(limits: Limits, run: (session: CheckedOut) => Promise<T>): Promise<T> {
    const session = await checkOut(pool, limits)
    try {
      return await run(session)
    } finally {
      session.end()
    }
  }

  /** Runs work with the client, and takes it back as soon as the work has settled. */
  async function lending<T>(
    session: CheckedOut,
    foundAt: number,
    work: (session: Session<Tx>) => Promise<T>,
  ): Promise<T> {
    const { tx, takeBack } = lend(session.client)
    try {
      return await work(sessionOf(session, foundAt, tx as Tx, takeBack))
    } finally {
      takeBack()
    }
  }

  async function begin(limits: Limits, first?: First): Promise<Begun<Tx>> {
    const session = await checkOut(pool, limits)

    async function rollback(): Promise<void> {
      await session.rollback()
      session.end()
    }

    async function orRollBack<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        await rollback()
        throw session.lost ?? error
      }
    }

    const found = await orRollBack(() => opening.open(session, limits, first))
    const foundAt = performance.now()
    return {
      found,
      run: (work) =>
        orRollBack(async () => {
          // It can be lost between `begin` and `run`. Then another worker may run the event.
          if (session.lost) {
            throw session.lost
          }
          const value = await lending(session, foundAt, (lent) => work(lent, found))
          await commit(session, first)
          session.end()
          return value
        }),
      rollback,
    }
  }

  return {
    begin,
    transaction: async (limits, work, first) => (await begin(limits, first)).run(work),

    query: (text, values) => alone(shortly, async (session) => (await session.run(text, values)).rows),
    ask: (limits, statement) => alone(limits, (session) => opening.ask(session, limits, statement)),
    insert: (statement) => alone(shortly, (session) => opening.insert(session, statement)),

    close: () => {
      pool.off('error', ignore)
      pool.off('connect', guard)
    },
  }
}

/**
 * Commits if the transaction is still the one that was begun. In one round trip: the server does not run a COMMIT after a RELEASE
 * that fails.
 */
async function commit(session: CheckedOut, first: First | undefined): Promise<void> {
  const text = first?.savepoint ? `RELEASE SAVEPOINT ${savepoint}; COMMIT` : 'COMMIT'
  // The client resolves several statements to an array.
  const results = await session.run(text).catch((cause) => {
    const state = sqlState(cause)
    if (state === failedBefore) {
      throw new NotCommitted(undefined, { cause })
    }
    throw state !== undefined && savepointGone.has(state) ? transactionEnded(cause) : cause
  })
  // In a failed transaction, COMMIT succeeds but rolls back. Only its command tag shows this.
  if ([results].flat().at(-1)?.command === 'ROLLBACK') {
    throw new NotCommitted()
  }
}

/** in_failed_sql_transaction */
const failedBefore = '25P02'

/** no_active_sql_transaction, invalid_savepoint_specification */
const savepointGone = new Set(['25P01', '3B001'])

const sessionOf = <Tx>(session: CheckedOut, foundAt: number, tx: Tx, takeBack: () => void): Session<Tx> => ({
  tx,
  foundAt,
  async undo() {
    takeBack()
    await session.run(`ROLLBACK TO SAVEPOINT ${savepoint}`)
  },
  openedAt: session.openedAt,
  query: async (text, values) => (await session.run(text, values)).rows,
  get signal() {
    return session.signal
  },
})
