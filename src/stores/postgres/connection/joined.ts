import { ConfigurationError, transactionEnded } from '../../../errors.js'
import { type Database, foundIn, limiting, NotCommitted, type Query, type Row } from './transactions.js'
import { checkedValues } from './values.js'

/** How the store uses the transactions of a query builder or ORM. */
export interface TransactionPort<Tx> {
  /** Runs work in a transaction: commits when it resolves; rolls back when it rejects, and rejects. */
  readonly transaction: (work: (tx: Tx) => Promise<void>) => Promise<unknown>
  /** Runs one statement, with `$1` and so on for its values, in such a transaction; resolves to its rows. */
  readonly query: (tx: Tx, text: string, values: readonly unknown[]) => Promise<readonly Row[]>
}

/** Transactions that another library opens and closes. */
export function joinedDatabase<Tx>(port: TransactionPort<Tx>): Database<Tx> {
  const never = new AbortController().signal

  /**
   * Returns the value of the work, whatever the library’s own `transaction` returns. If a handler ends the transaction by a method
   * of the library, `transaction` settles before the handler does.
   */
  async function run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined
    try {
      await port.transaction(async (tx) => {
        running = work(tx)
        await running
      })
    } catch (error) {
      const thrown = await running?.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      throw isOfItsEnd(thrown) ? thrown : error
    }
    if (!running) {
      throw new NotCommitted('the transaction option resolved without running its work')
    }
    return running
  }

  const send = async (tx: Tx, text: string, values: readonly unknown[]) =>
    port.query(tx, text, checkedValues(values))

  return {
    transaction: (limits, work, first) =>
      run(async (tx) => {
        const openedAt = performance.now()
        const query: Query = (text, values) => send(tx, text, values)
        const [begun] = await query(`${limiting(limits)}, ${whichTransaction}`, [])
        const found = first ? foundIn(await query(first.text, first.values)) : []
        const foundAt = performance.now()
        const value = await work({ tx, query, signal: never, openedAt, foundAt }, found)
        // In a failed transaction, COMMIT succeeds but rolls back, and no library reports this.
        const [last] = await query(`SELECT ${whichTransaction}`, []).catch((cause) => {
          throw new NotCommitted(undefined, { cause })
        })
        if (last?.began !== begun?.began) {
          throw transactionEnded()
        }
        return value
      }),
    ask: (limits, { text, values }) =>
      run(async (tx) => {
        await send(tx, limiting(limits), [])
        return send(tx, text, values)
      }),
    insert: async ({ text, values }) =>
      (await run((tx) => send(tx, text, values))).map(({ key }) => key as string),
    query: (text, values) => run((tx) => send(tx, text, values)),
    close: () => {},
  }
}

/** When the transaction began, to the microsecond. A transaction that the work has begun has another time. */
const whichTransaction = 'now()::text AS began'

const isOfItsEnd = (error: unknown) => error instanceof NotCommitted || error instanceof ConfigurationError
