import { ConfigurationError, StoreError } from '../errors.js'
import { Deadline } from '../timing/deadline.js'
import type { Store, StoreGuarantee } from './store.js'

/**
 * A misconfiguration is not checked again within this time, so that deliveries put no load on the store. It can end while the
 * process runs: a migration runs, or a standby becomes the primary.
 */
const keptSeconds = 5

/** Checks the store until a check has succeeded. Waits up to `seconds` for each check. */
export function readinessOf(store: Store<unknown>, seconds: number) {
  let guarantee: StoreGuarantee | undefined
  let checking: Promise<void> | undefined
  /** When `checking` is over, in milliseconds. The deliveries until then share it. */
  let sharedUntil = 0

  async function check(): Promise<void> {
    // Async, so that a store that throws rejects.
    const ask = async () => store.check()
    // A check that never settles must not block every event forever.
    const found = await new Deadline(seconds).race(ask(), () => undefined)
    if (!found) {
      throw new StoreError(
        `check() of the store did not settle within ${seconds} s; likely cause: its server is down or unreachable; fix: check the address that the store is given`,
      )
    }
    guarantee = found
  }

  async function checkShared(): Promise<void> {
    sharedUntil = Number.POSITIVE_INFINITY
    try {
      await check()
    } catch (error) {
      sharedUntil = performance.now() + (error instanceof ConfigurationError ? keptSeconds * 1000 : 0)
      throw error
    }
  }

  return {
    guarantee: () => guarantee,
    /** Asks the store now. */
    check,
    /** For a delivery. `undefined` if a check has succeeded. */
    ready(): Promise<void> | undefined {
      if (guarantee) {
        return undefined
      }
      if (!checking || performance.now() >= sharedUntil) {
        checking = checkShared()
      }
      return checking
    },
  }
}
