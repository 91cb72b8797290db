import { registerLaws, type SuiteOptions, type TestFunction } from './laws.js'
import type { AnyStore } from './store-suite/deliveries.js'
import { lawsOfLeases } from './store-suite/lease-laws.js'
import { lawsOfOnce } from './store-suite/once-laws.js'
import { lawsOfOutage } from './store-suite/outage-laws.js'
import { lawsOfPrune, type PruneOptions } from './store-suite/prune-laws.js'

export interface StoreSuiteOptions extends SuiteOptions, PruneOptions {
  /** Returns a store whose backend is unreachable and that rejects within 10 s. Without it that law is not tested. */
  readonly makeUnreachable?: (() => AnyStore | Promise<AnyStore>) | undefined
}

/**
 * Registers a test for every rule of the `Store` interface.
 *
 * `test` is the function of vitest, jest or node:test. A test calls `makeStore` one or more times and closes the
 * results. Each call must return another instance on the same backend. The backend may contain other events, because
 * every test uses new keys. The suite prunes the backend, so do not run it on data that you need.
 *
 * @example
 * storeSuite(test, () => postgresStore({ pool }))
 */
export function storeSuite(
  test: TestFunction,
  makeStore: () => AnyStore | Promise<AnyStore>,
  { makeUnreachable, prunes = true, ...options }: StoreSuiteOptions = {},
): void {
  registerLaws(test, { ...lawsOfOnce, ...lawsOfLeases, ...lawsOfPrune({ prunes }) }, makeStore, options)
  if (makeUnreachable) {
    registerLaws(test, lawsOfOutage, makeUnreachable, {})
  }
}
