import { describe, expect, test } from 'vitest'
import type { LeaseStore } from '../../src/store/lease.js'
import { leaseStore } from '../../src/store/lease.js'
import { memoryLeases, memoryStore } from '../../src/stores/memory.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'

/** One memory for several instances. Closing an instance keeps it. */
function shared(): () => LeaseStore {
  const leases = memoryLeases()
  return () => ({ ...leases, close: async () => {} })
}

describe('the verbs of the memory store', () => leaseSuite(test, shared()))

describe('the memory store', () => {
  storeSuite(test, () => memoryStore())
})

describe('several instances over one memory', () => {
  const make = shared()
  storeSuite(test, () => leaseStore(make()))
})

test('a memory store loses its events when it is closed', async () => {
  const leases = memoryLeases()
  const claim = await leases.claim('key', 60)
  await leases.complete('key', claim.state === 'claimed' ? claim.token : '', 'hash', 60)
  expect((await leases.claim('key', 60)).state).toBe('done')
  await leases.close()
  expect(await leases.claim('key', 60)).toMatchObject({ state: 'claimed', attempt: 1 })
})
