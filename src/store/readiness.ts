import { ConfigurationError, StoreError } from '../errors.js'
import { Deadline } from '../timing/deadline.js'
import type { Store, StoreGuarantee } from './store.js'

/**
 * Checks the store until a check has succeeded or has found a misconfiguration. Waits up to `seconds` for each check.
 * After an outage it checks again.
 */
export function readinessOf(store: Store<unknown>, seconds: number) {
  let guarantee: StoreGuarantee | undefined
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    try {
      // A check that never settles must not block every event forever.
      guarantee = await new Deadline(seconds).race(store.check(), () => undefined)
      if (!guarantee) {
        throw new StoreError(
          `check() of the store did not settle within ${seconds} s; likely cause: its server is down or unreachable; fix: check the address that the store is given`,
        )
      }
    } catch (error) {
      if (!(error instanceof ConfigurationError)) {
        checking = undefined
      }
      throw error
    }
  }

  return {
    guarantee: () => guarantee,
    ready(): Promise<void> | undefined {
      if (guarantee) {
        return undefined
      }
      checking ??= check()
      return checking
    },
  }
}
