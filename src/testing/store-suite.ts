import assert from 'node:assert/strict'
import type { EventRef, Terms } from '../dedupe/event-ref.js'
import type { OnceOutcome, Store } from '../dedupe/store.js'
import {
  bareKeys,
  eventually,
  freshKey,
  type Laws,
  oddKeys,
  pause,
  registerLaws,
  type SuiteOptions,
  type TestFunction,
} from './laws.js'

export interface StoreSuiteOptions extends SuiteOptions {
  /** Makes a store whose backend cannot be reached, and which says so within 10 s. Without it that law is not tried. */
  readonly makeUnreachable?: () => AnyStore | Promise<AnyStore>
}

// A store with a transaction obeys the same laws; what its work gets as `tx` is nothing to them.
// biome-ignore lint/suspicious/noExplicitAny: Store is invariant in Tx.
type AnyStore = Store<any>

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
  registerLaws(test, laws, makeStore, options)
  if (makeUnreachable) registerLaws(test, lawsOfOutage, makeUnreachable, {})
}

/** An event as a receiver hands it over, with a claim that needs no extending unless the terms say otherwise. */
function eventOf(key: string, terms: Partial<Terms> = {}, content = 'content'): EventRef {
  return {
    key,
    contentHash: content,
    terms: { leaseSeconds: 600, retentionSeconds: 30 * 86_400, workSeconds: 10, waitSeconds: 0, ...terms },
    endpoint: 'default',
    id: 'evt_law',
    type: 'law.tried',
    createdAt: '2026-01-02T03:04:05Z',
    body: new TextEncoder().encode(content),
  }
}

const nothing = async () => {}

const mustNotRun = async () => {
  assert.fail('the work of an event ran that somebody else holds or has done')
}

/** Work that has begun and goes on until it is told how it ends. */
function openWork() {
  let begin = () => {}
  let end: { resolve(value: string): void; reject(error: unknown): void } | undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const ended = new Promise<string>((resolve, reject) => {
    end = { resolve, reject }
  })
  const work = () => {
    begin()
    return ended
  }
  return { work, begun, ...(end as NonNullable<typeof end>) }
}

/** Begins to work on an event with a lease that nobody extends. */
async function beginAbandoned(store: AnyStore, key: string, leaseSeconds: number) {
  const open = openWork()
  const outcome = store.once(eventOf(key, { leaseSeconds, workSeconds: leaseSeconds / 4 }, 'old'), open.work)
  await open.begun
  return { ...open, outcome }
}

/** Runs an event as soon as it is free. */
function runWhenFree<T>(
  store: AnyStore,
  event: EventRef,
  work: (context: { attempt: number }) => Promise<T>,
) {
  return eventually(async () => {
    const outcome = await store.once(event, work)
    return outcome.state === 'busy' ? undefined : outcome
  })
}

const states = (outcomes: readonly OnceOutcome<unknown>[]) => outcomes.map(({ state }) => state)

const laws: Laws<AnyStore> = {
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
    for (const state of states(outcomes)) counts[state]++
    assert.deepEqual({ ...counts, duplicate: 0, busy: 0 }, { done: 1, duplicate: 0, busy: 0, lost: 0 })
    for (const store of stores) assert.equal((await store.once(event, mustNotRun)).state, 'duplicate')
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
      const twin = await store.once(eventOf(key), mustNotRun)
      assert.ok(twin.state === 'busy' && twin.retryAfterSeconds > 0 && twin.retryAfterSeconds <= 600)
    }
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
    for (const store of stores) assert.equal((await store.once(eventOf(key), mustNotRun)).state, 'duplicate')
  },

  async 'who waits for an event in work learns how it ended'({ make }) {
    const stores = [await make(), await make()]
    const event = eventOf(freshKey(), { waitSeconds: 30 })
    const held = openWork()
    const outcome = (stores[0] as AnyStore).once(event, held.work)
    await held.begun
    const twins = Promise.all(stores.map((store) => store.once(event, mustNotRun)))
    await pause(0.1)
    held.resolve('value')
    assert.equal((await outcome).state, 'done')
    assert.deepEqual(states(await twins), ['duplicate', 'duplicate'])
  },

  async 'who waits for an event in work gives up when it was told to'({ make }) {
    const stores = [await make(), await make()]
    const key = freshKey()
    const held = openWork()
    const outcome = (stores[0] as AnyStore).once(eventOf(key), held.work)
    await held.begun
    const startedAt = performance.now()
    const twins = await Promise.all(
      stores.map((store) => store.once(eventOf(key, { waitSeconds: 0.3 }), mustNotRun)),
    )
    assert.deepEqual(states(twins), ['busy', 'busy'])
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

  async 'an event whose holder died is free when its lease has passed, and not before'({
    make,
    shortLeaseSeconds,
  }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const startedAt = performance.now()
    const dead = await beginAbandoned(here, key, shortLeaseSeconds)
    const outcome = await runWhenFree(there, eventOf(key), async ({ attempt }) => attempt)
    assert.deepEqual(outcome, { state: 'done', value: 2, attempt: 2 })
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
    const terms = { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds * 60 }
    const held = openWork()
    const outcome = here.once(eventOf(key, terms), held.work)
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
    for (const key of keys) await store.once(eventOf(key), nothing)
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

const lawsOfOutage: Laws<AnyStore> = {
  async 'without its backend it rejects, and never runs the work'({ make }) {
    const store = await make()
    const outcome = await Promise.race([
      store.once(eventOf(freshKey()), mustNotRun).then(
        () => 'resolved',
        () => 'rejected',
      ),
      pause(10).then(() => 'silent'),
    ])
    assert.equal(outcome, 'rejected')
  },
}
