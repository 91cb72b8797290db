import assert from 'node:assert/strict'
import { freshKey, type Laws, pause } from '../laws.js'
import {
  type AnyStore,
  beginAbandoned,
  eventOf,
  mustNotRun,
  nothing,
  openWork,
  runWhenFree,
} from './deliveries.js'

/** What becomes of an event whose holder dies, or takes too long. */
export const lawsOfLeases: Laws<AnyStore> = {
  async 'an event whose holder died is free when its lease has passed, and not before'({
    make,
    shortLeaseSeconds,
  }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const startedAt = performance.now()
    const dead = await beginAbandoned(here, key, shortLeaseSeconds)
    const outcome = await runWhenFree(there, eventOf(key), async ({ attempt }) => attempt)
    // A store whose claim is a transaction counts no attempt that was rolled back.
    assert.ok(outcome.state === 'done' && outcome.value === outcome.attempt)
    assert.ok(outcome.attempt === 1 || outcome.attempt === 2, `attempt ${outcome.attempt}`)
    assert.ok(performance.now() - startedAt > shortLeaseSeconds * 900, 'the lease was cut short')
    dead.resolve('late')
    await dead.outcome
  },

  async 'a holder that lost its claim cannot mark the event done'({ make, shortLeaseSeconds }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const old = await beginAbandoned(here, key, shortLeaseSeconds)
    const heir = openWork()
    const outcome = runWhenFree(there, eventOf(key, {}, 'new'), heir.work)
    await Promise.race([heir.begun, outcome])
    old.resolve('late')
    assert.deepEqual(await old.outcome, { state: 'lost' })
    assert.equal((await (await make()).once(eventOf(key), mustNotRun)).state, 'busy', 'the heir works on')
    heir.resolve('value')
    assert.equal((await outcome).state, 'done')
    assert.deepEqual(await here.once(eventOf(key), mustNotRun), { state: 'duplicate', contentHash: 'new' })
  },

  async 'a holder that lost its claim and fails does not free the event'({ make, shortLeaseSeconds }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const old = await beginAbandoned(here, key, shortLeaseSeconds)
    const heir = openWork()
    const outcome = runWhenFree(there, eventOf(key, {}, 'new'), heir.work)
    await heir.begun
    const error = new Error('late')
    old.reject(error)
    await assert.rejects(old.outcome, (thrown) => thrown === error)
    assert.equal((await (await make()).once(eventOf(key), mustNotRun)).state, 'busy', 'the heir works on')
    heir.resolve('value')
    assert.equal((await outcome).state, 'done')
    assert.deepEqual(await here.once(eventOf(key), mustNotRun), { state: 'duplicate', contentHash: 'new' })
  },

  async 'work that outlives its lease keeps the claim while it is within its budget'({
    make,
    shortLeaseSeconds,
  }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const durations = { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds * 60 }
    const held = openWork()
    const outcome = here.once(eventOf(key, durations), held.work)
    await held.begun
    const until = performance.now() + shortLeaseSeconds * 2500
    while (performance.now() < until) {
      assert.equal((await there.once(eventOf(key), mustNotRun)).state, 'busy')
      await pause(0.05)
    }
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
  },

  async 'done outlasts the lease'({ make, shortLeaseSeconds }) {
    const store = await make()
    const event = eventOf(freshKey(), { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds / 4 })
    await store.once(event, nothing)
    await pause(shortLeaseSeconds * 1.5)
    assert.equal((await store.once(event, mustNotRun)).state, 'duplicate')
  },
}
