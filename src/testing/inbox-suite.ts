import type { Inbox } from '../store/inbox.js'
import type { Store } from '../store/store.js'
import { acceptLaws } from './inbox-suite/accept.js'
import { operateLaws } from './inbox-suite/operate.js'
import { orderLaws } from './inbox-suite/order.js'
import { overlapLaws } from './inbox-suite/overlap.js'
import { quarantineEventLaws } from './inbox-suite/quarantine-event.js'
import { retryLaws } from './inbox-suite/retry.js'
import { registerLaws, type SuiteOptions, type TestFunction } from './laws.js'

/** A store that keeps the events themselves. */
export type InboxStore<Tx> = Store<Tx> & { readonly inbox?: Inbox<Tx> }

export interface InboxSuiteOptions<Tx> extends SuiteOptions {
  /** Writes a word, a key of the suite’s own, through a transaction of the store, as a queue writes its job. */
  readonly write: (tx: Tx, word: string) => unknown
  /** Every word that is committed. */
  readonly written: () => readonly string[] | Promise<readonly string[]>
}

/**
 * Registers a test for every law of an {@link Inbox}, your own or one of ours:
 *
 *     inboxSuite(test, () => myStore({ url }), {
 *       write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
 *       written: async () => (await pool.query('SELECT word FROM words')).rows.map(({ word }) => word),
 *     })
 *
 * `test` is that of vitest, jest or node:test. `makeStore` is called once or more in each test, for another instance
 * over one and the same backend, which the test closes. Keys and endpoints are new in every test, so the backend may
 * hold other events; but the suite prunes it, so it must not hold events that matter.
 */
export function inboxSuite<Tx>(
  test: TestFunction,
  makeStore: () => InboxStore<Tx> | Promise<InboxStore<Tx>>,
  options: InboxSuiteOptions<Tx>,
): void {
  const laws = {
    ...acceptLaws(options),
    ...retryLaws(options),
    ...orderLaws<Tx>(),
    ...overlapLaws<Tx>(),
    ...operateLaws(options),
    ...quarantineEventLaws(options),
  }
  registerLaws(test, laws, makeStore, options)
}
