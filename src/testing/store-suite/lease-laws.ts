import assert from 'node:assert/strict'
import { freshKey, type Laws, pause } from '../laws.js'
import {
  type AnyStore,
  begin,
  beginAbandoned,
  eventOf,
  mustNotRun,
  nothing,
  openWork,
  runWhenFree,
} from './deliveries.js'

/** Laws of events whose holder dies or takes too long. */
export const lawsOfLeases: Laws<AnyStore> = {
  async 'an event whose holder died is free when its lease expires, not earlier'({
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
    await Promise.race([heir.begun, outcome])
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
    for (let tries = 1; ; tries++) {
      const watch = watchStalls()
      const isKept = await keepsClaim(here, there, shortLeaseSeconds)
      const stallSeconds = watch.stop()
      if (isKept) {
        return
      }
      // A process that was blocked for that long cannot extend its lease and rightly loses the claim.
      assert.ok(stallSeconds > shortLeaseSeconds / 2 && tries < 10, 'the claim was lost within the budget')
    }
  },

  async 'an event stays done after its lease expires'({ make, shortLeaseSeconds }) {
    const store = await make()
    const event = eventOf(freshKey(), { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds / 4 })
    await store.once(event, nothing)
    await pause(shortLeaseSeconds * 1.5)
    assert.equal((await store.once(event, mustNotRun)).state, 'duplicate')
  },
}

/** Processes an event for two and a half leases. Resolves to whether the claim was kept all the time. */
async function keepsClaim(here: AnyStore, there: AnyStore, leaseSeconds: number): Promise<boolean> {
  const key = freshKey()
  const held = await begin(here, eventOf(key, { leaseSeconds, workSeconds: leaseSeconds * 60 }))
  const until = performance.now() + leaseSeconds * 2500
  let isKept = true
  while (isKept && performance.now() < until) {
    isKept = (await there.once(eventOf(key), nothing)).state === 'busy'
    await pause(0.05)
  }
  held.resolve('value')
  const { state } = await held.outcome
  return isKept && state === 'done'
}

/** Measures the longest time for which the event loop of this process was blocked, in seconds. */
function watchStalls() {
  let longest = 0
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 10)
  return {
    stop() {
      look()
      clearInterval(timer)
      return longest / 1000
    },
  }
}
