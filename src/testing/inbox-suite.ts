import type { Store } from '../store/store.js'
import { acceptDeadLaws } from './inbox-suite/accept-dead-laws.js'
import { acceptLaws } from './inbox-suite/accept-laws.js'
import { attemptLaws } from './inbox-suite/attempt-laws.js'
import { auditLaws } from './inbox-suite/audit-laws.js'
import { bulkLaws } from './inbox-suite/bulk-laws.js'
import { canaryLaws } from './inbox-suite/canary-laws.js'
import { absenceLaws, allNeed, type InboxCapability, skipsOf } from './inbox-suite/capabilities.js'
import { circuitLaws } from './inbox-suite/circuit-laws.js'
import { copyLaws } from './inbox-suite/copy-laws.js'
import { failureLaws } from './inbox-suite/failure-laws.js'
import { foundLaws } from './inbox-suite/found-laws.js'
import { leftAloneLaws } from './inbox-suite/left-alone-laws.js'
import { listLaws } from './inbox-suite/list-laws.js'
import { operateLaws } from './inbox-suite/operate-laws.js'
import { orderLaws } from './inbox-suite/order-laws.js'
import { overlapLaws } from './inbox-suite/overlap-laws.js'
import { pauseLaws } from './inbox-suite/pause-laws.js'
import { planLaws } from './inbox-suite/plan-laws.js'
import { quarantineLaws } from './inbox-suite/quarantine-laws.js'
import { releaseLaws } from './inbox-suite/release-laws.js'
import { replayedAttemptLaws } from './inbox-suite/replayed-attempt-laws.js'
import { retryLaws } from './inbox-suite/retry-laws.js'
import { runLaws } from './inbox-suite/run-laws.js'
import { seenChangesLaws } from './inbox-suite/seen-changes-laws.js'
import { seenLaws } from './inbox-suite/seen-laws.js'
import { statisticsLaws } from './inbox-suite/statistics-laws.js'
import type { Words } from './inbox-suite/stored-event.js'
import { takeLaws } from './inbox-suite/take-laws.js'
import { undoLaws } from './inbox-suite/undo-laws.js'
import { undoSeenLaws } from './inbox-suite/undo-seen-laws.js'
import { type Misuses, skipsWithoutMisuses, workLaws } from './inbox-suite/work-laws.js'
import { type Laws, registerLaws, type SuiteOptions, type TestFunction } from './laws.js'

/** A store that can keep whole events. */
export type InboxStore<Tx> = Store<Tx>

export interface InboxSuiteOptions<Tx> extends SuiteOptions, Words<Tx>, Misuses<Tx> {
  /** The capabilities that the inbox does not have. Their laws are skipped. Without it a law about an absent one fails. */
  readonly lacks?: readonly InboxCapability[] | undefined
}

/**
 * Registers a test for every rule of the `Inbox` interface.
 *
 * `test` is the function of vitest, jest or node:test. A test calls `makeStore` one or more times and closes the
 * results. Each call must return another instance on the same backend. The backend may contain other events, because
 * every test uses new keys and endpoints. The suite prunes the backend, so do not run it on data that you need.
 *
 * @example
 * inboxSuite(test, () => postgresStore({ pool }), {
 *   write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
 *   written: async () => (await pool.query('SELECT word FROM words')).rows.map(({ word }) => word),
 * })
 */
export function inboxSuite<Tx>(
  test: TestFunction,
  makeStore: () => InboxStore<Tx> | Promise<InboxStore<Tx>>,
  options: InboxSuiteOptions<Tx>,
): void {
  const { lacks = [], skip = [] } = options
  const laws: Laws<Store<Tx>> = {
    ...acceptLaws(options),
    ...foundLaws(),
    ...allNeed('take', takeLaws<Tx>()),
    ...retryLaws(options),
    ...attemptLaws<Tx>(),
    ...replayedAttemptLaws<Tx>(),
    ...orderLaws<Tx>(),
    ...overlapLaws<Tx>(),
    ...operateLaws(options),
    ...quarantineLaws(options),
    ...seenLaws(options),
    ...seenChangesLaws<Tx>(),
    ...listLaws<Tx>(),
    ...allNeed('failures', failureLaws<Tx>()),
    ...acceptDeadLaws(options),
    ...allNeed('auditLog', auditLaws<Tx>()),
    ...planLaws<Tx>(),
    ...bulkLaws(options),
    ...runLaws<Tx>(),
    ...leftAloneLaws<Tx>(),
    ...canaryLaws<Tx>(),
    ...copyLaws(),
    ...undoLaws(options),
    ...undoSeenLaws<Tx>(),
    ...releaseLaws<Tx>(),
    ...allNeed('statistics', statisticsLaws<Tx>()),
    ...pauseLaws<Tx>(),
    ...circuitLaws<Tx>(),
    ...workLaws(options),
    ...(lacks.length > 0 && absenceLaws<Tx>(lacks)),
  }
  registerLaws(test, laws, makeStore, {
    ...options,
    skip: [...skip, ...skipsOf(laws, lacks), ...skipsWithoutMisuses(options)],
  })
}
