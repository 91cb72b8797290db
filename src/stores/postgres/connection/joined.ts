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

  /** Returns the value of the work, whatever the library’s own `transaction` returns. */
  async function run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let done: { readonly value: T } | undefined
    await port.transaction(async (tx) => {
      done = undefined
      done = { value: await work(tx) }
    })
    if (!done) {
      throw new NotCommitted('the transaction option resolved without running its work')
    }
    return (done as { readonly value: T }).value
  }

  const send = async (tx: Tx, text: string, values: readonly unknown[]) =>
    port.query(tx, text, checkedValues(values))

  return {
    transaction: (limits, work, first) =>
      run(async (tx) => {
        const openedAt = performance.now()
        const query: Query = (text, values) => send(tx, text, values)
        await query(limiting(limits), [])
        const found = first ? foundIn(await query(first.text, first.values)) : []
        const value = await work({ tx, query, signal: never, openedAt }, found)
        // In a failed transaction, COMMIT succeeds but rolls back, and no library reports this.
        await query('SELECT 1', []).catch((cause) => {
          throw new NotCommitted(undefined, { cause })
        })
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
