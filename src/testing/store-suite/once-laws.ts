import assert from 'node:assert/strict'
import { HandlerFailure } from '../../errors.js'
import { bareKeys, freshKey, type Laws, oddKeys, pause } from '../laws.js'
import { type AnyStore, begin, eventOf, mustNotRun, nothing, states } from './deliveries.js'

const fail = () => {
  throw new Error('it cannot be read')
}

/** Laws of `once`: which delivery runs an event, and the result of the others. */
export const lawsOfOnce: Laws<AnyStore> = {
  async 'the work of a new event runs, and its result is returned'({ make }) {
    const store = await make()
    const value = { any: 'thing' }
    const outcome = await store.once(eventOf(freshKey()), async ({ attempt, signal }) => {
      assert.equal(attempt, 1)
      assert.equal(signal.aborted, false)
      return value
    })
    assert.deepEqual(outcome, { state: 'done', value, attempt: 1 })
  },

  async 'one of a thousand concurrent deliveries runs'({ make }) {
    const stores = [await make(), await make(), await make(), await make()]
    const event = eventOf(freshKey(), { waitSeconds: 0.5 })
    let runs = 0
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        (stores[i % 4] as AnyStore).once(event, async () => {
          runs++
          await pause(0.1)
        }),
      ),
    )
    assert.equal(runs, 1)
    const counts = { done: 0, duplicate: 0, busy: 0, lost: 0 }
    for (const state of states(outcomes)) {
      counts[state]++
    }
    assert.deepEqual({ ...counts, duplicate: 0, busy: 0 }, { done: 1, duplicate: 0, busy: 0, lost: 0 })
    for (const store of stores) {
      assert.equal((await store.once(event, mustNotRun)).state, 'duplicate')
    }
  },

  async 'different events run concurrently'({ make }) {
    const store = await make()
    const held = await begin(store, eventOf(freshKey()))
    const others = await Promise.all(
      Array.from({ length: 50 }, () => store.once(eventOf(freshKey()), nothing)),
    )
    assert.deepEqual(new Set(states(others)), new Set(['done']))
    held.resolve('late')
    assert.equal((await held.outcome).state, 'done')
  },

  async 'a repeated event is a duplicate on every instance, with the content hash that is done'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    await here.once(eventOf(key, {}, 'first'), nothing)
    for (const store of [here, there, await make()]) {
      const outcome = await store.once(eventOf(key, {}, 'second'), mustNotRun)
      assert.deepEqual(outcome, { state: 'duplicate', contentHash: 'first' })
    }
  },

  async 'a running event is busy on every instance, and then a duplicate'({ make }) {
    const stores = [await make(), await make()]
    const key = freshKey()
    const held = await begin(stores[0] as AnyStore, eventOf(key))
    for (const store of stores) {
      const concurrent = await store.once(eventOf(key), mustNotRun)
      assert.ok(
        concurrent.state === 'busy' &&
          concurrent.retryAfterSeconds > 0 &&
          concurrent.retryAfterSeconds <= 600,
      )
    }
    held.resolve('value')
    assert.equal((await held.outcome).state, 'done')
    for (const store of stores) {
      assert.equal((await store.once(eventOf(key), mustNotRun)).state, 'duplicate')
    }
  },

  async 'a delivery that waits for a running event gets its result'({ make }) {
    const stores = [await make(), await make()]
    const event = eventOf(freshKey(), { waitSeconds: 30 })
    const held = await begin(stores[0] as AnyStore, event)
    const concurrent = Promise.all(stores.map((store) => store.once(event, mustNotRun)))
    await Promise.race([concurrent, pause(0.1)])
    held.resolve('value')
    const [outcome, others] = await Promise.all([held.outcome, concurrent])
    assert.equal(outcome.state, 'done')
    assert.deepEqual(states(others), ['duplicate', 'duplicate'])
  },

  async 'a delivery stops waiting for a running event after waitSeconds'({ make }) {
    const stores = [await make(), await make()]
    const key = freshKey()
    const held = await begin(stores[0] as AnyStore, eventOf(key))
    const startedAt = performance.now()
    const concurrent = await Promise.all(
      stores.map((store) => store.once(eventOf(key, { waitSeconds: 0.3 }), mustNotRun)),
    )
    assert.deepEqual(states(concurrent), ['busy', 'busy'])
    assert.ok(performance.now() - startedAt < 10_000)
    held.resolve('value')
    await held.outcome
  },

  async 'once rejects with the error of the work, and the event is free again'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    // A handler may meet a deadlock each time, and throw what cannot be read. Neither may run forever without a failure.
    const deadlock = new HandlerFailure(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
    const unreadable = new HandlerFailure(Object.defineProperty(new Error(), 'code', { get: fail }))
    const thrown = [new Error('refused'), 'a string', undefined, null, 0, deadlock, unreadable]
    for (const [i, error] of thrown.entries()) {
      const store = i % 2 === 0 ? here : there
      const failed = await store
        .once(eventOf(key), async ({ attempt }) => {
          assert.equal(attempt, i + 1)
          throw error
        })
        .then(
          () => assert.fail('it resolved'),
          (reason: unknown) => ({ reason }),
        )
      assert.equal(failed.reason, error)
    }
    const outcome = await there.once(eventOf(key), async () => 'value')
    assert.deepEqual(outcome, { state: 'done', value: 'value', attempt: thrown.length + 1 })
  },

  async 'unusual keys are different keys'({ make }) {
    const store = await make()
    for (const key of oddKeys()) {
      assert.equal((await store.once(eventOf(key, {}, key), nothing)).state, 'done', JSON.stringify(key))
      const again = await store.once(eventOf(key), mustNotRun)
      assert.deepEqual(again, { state: 'duplicate', contentHash: key })
    }
    for (const key of bareKeys) {
      const error = new Error('left as free as it was found')
      const failing = async () => {
        throw error
      }
      // A function, because jest runs tests in another realm, and node:assert does not recognize its errors.
      const isSame = (thrown: unknown) => thrown === error
      await assert.rejects(store.once(eventOf(key), failing), isSame, JSON.stringify(key))
    }
  },

  async 'check describes what the store guarantees'({ make }) {
    const guarantee = await (await make()).check()
    for (const part of ['store', 'scope', 'processCrash', 'hostCrash', 'runs'] as const) {
      assert.match(guarantee[part], /\S/, part)
    }
  },
}
