import assert from 'node:assert/strict'
import { bareKeys, freshKey, type Laws, oddKeys, pause } from '../laws.js'
import { type AnyStore, eventOf, mustNotRun, nothing, openWork, states } from './deliveries.js'

/** Who runs an event, and what everybody else is told. */
export const lawsOfOnce: Laws<AnyStore> = {
  async 'the work of a new event runs, and what it resolves to comes back'({ make }) {
    const store = await make()
    const value = { any: 'thing' }
    const outcome = await store.once(eventOf(freshKey()), async ({ attempt, signal }) => {
      assert.equal(attempt, 1)
      assert.equal(signal.aborted, false)
      return value
    })
    assert.deepEqual(outcome, { state: 'done', value, attempt: 1 })
  },

  async 'of a thousand concurrent deliveries one runs'({ make }) {
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

  async 'events do not stand in each other’s way'({ make }) {
    const store = await make()
    const held = openWork()
    const outcome = store.once(eventOf(freshKey()), held.work)
    await held.begun
    const others = await Promise.all(
      Array.from({ length: 50 }, () => store.once(eventOf(freshKey()), nothing)),
    )
    assert.deepEqual(new Set(states(others)), new Set(['done']))
    held.resolve('late')
    assert.equal((await outcome).state, 'done')
  },

  async 'a repeated event is a duplicate everywhere, of the content that was done'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    await here.once(eventOf(key, {}, 'first'), nothing)
    for (const store of [here, there, await make()]) {
      const outcome = await store.once(eventOf(key, {}, 'second'), mustNotRun)
      assert.deepEqual(outcome, { state: 'duplicate', contentHash: 'first' })
    }
  },

  async 'an event in work is busy everywhere, and then a duplicate'({ make }) {
    const stores = [await make(), await make()]
    const key = freshKey()
    const held = openWork()
    const outcome = (stores[0] as AnyStore).once(eventOf(key), held.work)
    await held.begun
    for (const store of stores) {
      const concurrent = await store.once(eventOf(key), mustNotRun)
      assert.ok(
        concurrent.state === 'busy' &&
          concurrent.retryAfterSeconds > 0 &&
          concurrent.retryAfterSeconds <= 600,
      )
    }
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
    for (const store of stores) {
      assert.equal((await store.once(eventOf(key), mustNotRun)).state, 'duplicate')
    }
  },

  async 'who waits for an event in work learns how it ended'({ make }) {
    const stores = [await make(), await make()]
    const event = eventOf(freshKey(), { waitSeconds: 30 })
    const held = openWork()
    const outcome = (stores[0] as AnyStore).once(event, held.work)
    await held.begun
    const concurrent = Promise.all(stores.map((store) => store.once(event, mustNotRun)))
    await pause(0.1)
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
    assert.deepEqual(states(await concurrent), ['duplicate', 'duplicate'])
  },

  async 'who waits for an event in work gives up when it was told to'({ make }) {
    const stores = [await make(), await make()]
    const key = freshKey()
    const held = openWork()
    const outcome = (stores[0] as AnyStore).once(eventOf(key), held.work)
    await held.begun
    const startedAt = performance.now()
    const concurrent = await Promise.all(
      stores.map((store) => store.once(eventOf(key, { waitSeconds: 0.3 }), mustNotRun)),
    )
    assert.deepEqual(states(concurrent), ['busy', 'busy'])
    assert.ok(performance.now() - startedAt < 10_000)
    held.resolve('value')
    await outcome
  },

  async 'what the work throws comes out unchanged, and the event is free again'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const thrown = [new Error('refused'), 'a string', undefined, null, 0]
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

  async 'odd keys are told apart'({ make }) {
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
      // A function, because jest runs tests in a realm of its own, whose errors are none to node:assert.
      const isSame = (thrown: unknown) => thrown === error
      await assert.rejects(store.once(eventOf(key), failing), isSame, JSON.stringify(key))
    }
  },

  async 'prune forgets what is done, before the date and at most so much'({ make }) {
    const store = await make()
    const keys = [freshKey(), freshKey(), freshKey()]
    for (const key of keys) {
      await store.once(eventOf(key), nothing)
    }
    const held = openWork()
    const heldKey = freshKey()
    const outcome = store.once(eventOf(heldKey), held.work)
    await held.begun
    assert.equal(await store.prune(new Date(0), 100), 0, 'nothing was done before 1970')
    const count = await store.prune(new Date(Date.now() + 86_400_000), 2)
    assert.ok(count >= 0 && count <= 2, `${count} forgotten`)
    const again = await Promise.all(keys.map((key) => store.once(eventOf(key), nothing)))
    assert.ok(states(again).filter((state) => state === 'done').length <= count)
    assert.equal((await store.once(eventOf(heldKey), mustNotRun)).state, 'busy')
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
  },

  async 'check says what the store promises, in words'({ make }) {
    const guarantee = await (await make()).check()
    for (const part of ['store', 'scope', 'processCrash', 'hostCrash', 'runs'] as const) {
      assert.match(guarantee[part], /\S/, part)
    }
  },
}
