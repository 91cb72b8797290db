import { registerLaws, type SuiteOptions, type TestFunction } from './laws.js'
import type { AnyStore } from './store-suite/deliveries.js'
import { lawsOfLeases } from './store-suite/leases.js'
import { lawsOfOnce } from './store-suite/once.js'
import { lawsOfOutage } from './store-suite/outage.js'

export interface StoreSuiteOptions extends SuiteOptions {
  /** Makes a store whose backend cannot be reached, and which says so within 10 s. Without it that law is not tried. */
  readonly makeUnreachable?: () => AnyStore | Promise<AnyStore>
}

/**
 * Registers a test for every law of a {@link Store}, your own or one of ours:
 *
 *     storeSuite(test, () => myStore({ url }))
 *
 * `test` is that of vitest, jest or node:test. `makeStore` is called once or more in each test, for another instance
 * over one and the same backend, which the test closes. Keys are new in every test, so the backend may hold others; but
 * the suite prunes it, so it must not hold events that matter.
 */
export function storeSuite(
  test: TestFunction,
  makeStore: () => AnyStore | Promise<AnyStore>,
  { makeUnreachable, ...options }: StoreSuiteOptions = {},
): void {
  registerLaws(test, { ...lawsOfOnce, ...lawsOfLeases }, makeStore, options)
  if (makeUnreachable) {
    registerLaws(test, lawsOfOutage, makeUnreachable, {})
  }
}
