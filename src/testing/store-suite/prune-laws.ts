import assert from 'node:assert/strict'
import type { LeaseStore } from '../../store/lease.js'
import { leaseStore } from '../../store/lease.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { type AnyStore, begin, eventOf, mustNotRun, nothing, states } from './deliveries.js'

export interface PruneOptions {
  /**
   * `false` if the backend deletes expired events itself, so that `prune` deletes nothing and resolves to 0. Without it a
   * law requires that `prune` deletes them. Default true.
   */
  readonly prunes?: boolean | undefined
}

const tomorrow = () => new Date(Date.now() + 86_400_000)

/** Laws of `prune`, for a store that deletes events itself and for one whose backend does. */
export const lawsOfPrune = ({ prunes = true }: PruneOptions): Laws<AnyStore> =>
  prunes ? lawsOfDeletion : lawsOfExpiry

const lawsOfDeletion: Laws<AnyStore> = {
  async 'prune deletes done events whose retention has passed, up to the limit'({ make, shortLeaseSeconds }) {
    const store = await make()
    const keys = [freshKey(), freshKey(), freshKey()]
    const retentionSeconds = shortLeaseSeconds
    for (const key of keys) {
      await store.once(eventOf(key, { retentionSeconds }), nothing)
    }
    await pause(1.5 * retentionSeconds)
    // A store may delete no event until a younger one is done, because the clock of its host may be wrong.
    await store.once(eventOf(freshKey()), nothing)
    const heldKey = freshKey()
    const held = await begin(store, eventOf(heldKey))

    assert.equal(await store.prune(new Date(0), 100), 0, 'nothing was done before 1970')
    const hint = 'if the backend deletes expired events itself, add prunes: false to the options'
    assert.equal(await store.prune(tomorrow(), 2), 2, `three events have expired; ${hint}`)
    while ((await store.prune(tomorrow(), 1000)) > 0) {}
    const again = await Promise.all(keys.map((key) => store.once(eventOf(key), nothing)))
    assert.deepEqual(states(again), ['done', 'done', 'done'], 'a deleted event is new')
    assert.equal((await store.once(eventOf(heldKey), mustNotRun)).state, 'busy')
    held.resolve('value')
    assert.equal((await held.outcome).state, 'done')
  },

  async 'prune keeps an event until its own retention has passed'({ make, shortLeaseSeconds }) {
    const store = await make()
    const [kept, gone] = [freshKey(), freshKey()]
    await store.once(eventOf(kept), nothing)
    await store.once(eventOf(gone, { retentionSeconds: shortLeaseSeconds }), nothing)
    await pause(1.5 * shortLeaseSeconds)
    await store.once(eventOf(freshKey()), nothing)
    while ((await store.prune(tomorrow(), 1000)) > 0) {}
    assert.equal((await store.once(eventOf(kept), mustNotRun)).state, 'duplicate')
    assert.equal((await store.once(eventOf(gone), nothing)).state, 'done', 'the events behind it are deleted')
  },
}

const lawsOfExpiry: Laws<AnyStore> = {
  async 'prune deletes nothing, because the backend deletes expired events itself'({
    make,
    shortLeaseSeconds,
  }) {
    const store = await make()
    await store.once(eventOf(freshKey(), { retentionSeconds: shortLeaseSeconds }), nothing)
    await pause(1.5 * shortLeaseSeconds)
    const key = freshKey()
    await store.once(eventOf(key), nothing)
    assert.equal(await store.prune(tomorrow(), 100), 0)
    assert.equal((await store.once(eventOf(key), mustNotRun)).state, 'duplicate')
  },
}

/** Laws of a store, as laws of the leases that it can be made from. */
export const ofLeases = (laws: Laws<AnyStore>): Laws<LeaseStore> =>
  Object.fromEntries(
    Object.entries(laws).map(([name, law]) => [
      name,
      ({ make, ...trial }) => law({ ...trial, make: async () => leaseStore(await make()) }),
    ]),
  )
