import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { eventually, freshKey, type Laws, oddKeys } from '../laws.js'
import {
  accepted,
  begin,
  dueAmong,
  fail,
  finish,
  inboxOf,
  kept,
  mustNotRun,
  newEvent,
  nothing,
} from './stored-event.js'

const audit = { reason: 'law', actor: 'suite' }

/** Accepts events of one resource, one after the other. Uses the stores in turn. */
async function acceptAll(stores: readonly Store<unknown>[], count: number, over: Partial<EventRef> = {}) {
  const about = { endpoint: freshKey(), resource: freshKey(), ...over }
  const events: EventRef[] = []
  for (let i = 0; i < count; i++) {
    events.push(await accepted(stores[i % stores.length] as Store<unknown>, about))
  }
  return events as [EventRef, EventRef, EventRef]
}

/** Asserts that every instance reports without a delay that an event waits for another. */
async function assertWaits(stores: readonly Store<unknown>[], event: EventRef, first: EventRef) {
  const startedAt = performance.now()
  for (const store of stores) {
    assert.equal((await store.once(event, mustNotRun)).state, 'busy')
    assert.deepEqual(await dueAmong(store, [event]), [])
    assert.equal((await inboxOf(store).nextForResource(event.key))?.key, first.key)
  }
  assert.ok(performance.now() - startedAt < 4000, 'an event that waits made its caller wait')
}

/** Asserts that an event is the next of its resource. */
async function assertInTurn(stores: readonly Store<unknown>[], event: EventRef) {
  for (const store of stores) {
    assert.deepEqual(await dueAmong(store, [event]), [event.key])
    assert.equal((await inboxOf(store).nextForResource(event.key))?.key, event.key)
  }
}

/** Laws of the order within one resource. */
export const orderLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'events of one resource run one after the other, in the order they were accepted'({ make }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const [first, second, third] = await acceptAll(stores, 3)
    assert.equal((await kept(here, second)).resource, second.resource)
    await assertInTurn(stores, first)
    for (const event of [second, third]) {
      await assertWaits(stores, event, first)
    }
    const held = here.once(first, () => assertWaits([there], second, first))
    assert.equal((await held).state, 'done')
    await assertInTurn(stores, second)
    await assertWaits(stores, third, second)
    await finish(there, second)
    await finish(here, third)
    assert.equal(await inboxOf(here).nextForResource(third.key), undefined)
  },

  async 'an event does not block other resources, other endpoints or events without a resource'({ make }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const [first, waiting] = await acceptAll(stores, 2)
    const { endpoint, resource } = first
    // Joined by a space, both pairs of endpoint and resource would be the same text.
    const [outer] = await acceptAll([here], 1, { endpoint: `${endpoint} a`, resource: 'b' })
    await here.once(outer, async () => {
      await finish(there, await accepted(there, { endpoint, resource: 'a b' }))
    })
    const free = [
      await accepted(here, { endpoint, resource: `${resource}x` }),
      await accepted(here, { endpoint: freshKey(), resource }),
      await accepted(here, { endpoint }),
      await accepted(there, { endpoint }),
    ]
    assert.deepEqual(
      await dueAmong(there, [first, waiting, ...free]),
      [first, ...free].map(({ key }) => key),
    )
    const ofNone = await kept(here, free[2] as EventRef)
    assert.equal(ofNone.resource, undefined)
    assert.equal(await inboxOf(here).nextForResource(ofNone.key), undefined)
    assert.equal(await inboxOf(here).nextForResource(freshKey()), undefined)
    await here.once(first, async () => {
      for (const event of free) {
        await finish(there, event)
      }
    })
  },

  async 'a failed event blocks later events of its resource until it is done or dead'({ make }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const [first, second, third] = await acceptAll(stores, 3)
    await fail(here, first)
    await assertWaits(stores, second, first)
    await inboxOf(here).postpone(first.key, 3600, 'much later')
    await assertWaits(stores, second, first)
    await finish(there, first)
    await assertInTurn(stores, second)
    await inboxOf(there).markDead(second.key, 'given up')
    await assertInTurn(stores, third)
    await finish(here, third)
  },

  async 'waiting for an earlier event is no failure, and postponing does not skip the order'({ make }) {
    const stores = [await make(), await make()]
    const [first, second] = await acceptAll(stores, 2)
    await assertWaits(stores, second, first)
    const stored = await kept(stores[0] as Store<Tx>, second)
    assert.deepEqual([stored.state, stored.attempt, stored.failures], ['accepted', 0, 0])
    await inboxOf(stores[1] as Store<Tx>).postpone(second.key, 0, 'not its turn')
    await assertWaits(stores, second, first)
  },

  async 'a replayed event waits for the running event and precedes later ones'({ make }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const [first, second, third] = await acceptAll(stores, 3)
    await finish(here, first)
    const ran: string[] = []
    const underWay = here.once(second, async () => {
      assert.equal(await inboxOf(there).requeue(first.key, audit, nothing), 1)
      for (const store of stores) {
        assert.equal((await store.once(first, mustNotRun)).state, 'busy')
      }
      assert.equal((await there.once(third, mustNotRun)).state, 'busy')
      ran.push('second')
    })
    assert.equal((await underWay).state, 'done')
    assert.deepEqual(ran, ['second'])
    await assertInTurn(stores, first)
    await assertWaits(stores, third, first)
    await finish(there, first)
    await inboxOf(here).markDead(third.key, 'given up')
    await inboxOf(here).requeue(third.key, audit, nothing)
    await assertInTurn(stores, third)
  },

  async 'an event that failed without a queue gets its resource when it is accepted'({ make }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const about = { endpoint: freshKey(), resource: freshKey() }
    const event = newEvent(about)
    await fail(here, event)
    assert.deepEqual(await inboxOf(there).accept(event, nothing), { state: 'accepted' })
    assert.equal((await kept(here, event)).resource, about.resource)
    await assertWaits(stores, await accepted(here, about), event)
  },

  async 'an expired claim does not block its resource'({ make, shortLeaseSeconds }) {
    const stores = [await make(), await make()]
    const [here, there] = stores as [Store<Tx>, Store<Tx>]
    const about = { endpoint: freshKey(), resource: freshKey() }
    const durations = { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds, waitSeconds: 0 }
    const [first, second] = [await accepted(here, about, durations), await accepted(here, about, durations)]
    const lost = await begin(here, first)
    assert.equal((await there.once(second, mustNotRun)).state, 'busy')
    await eventually(async () => (await there.once(first, nothing)).state === 'done' || undefined)
    lost.end()
    await lost.outcome.catch(() => {})
    await finish(there, second)
  },

  async 'a resource may be any string'({ make }) {
    const store = await make()
    const endpoint = freshKey()
    const resources = ['', ' ', '\0', '"', 'null', ...oddKeys(), 'x'.repeat(20_000)]
    const events: EventRef[] = []
    for (const resource of resources) {
      const [first, second] = await acceptAll([store], 2, { endpoint, resource })
      assert.equal((await kept(store, first)).resource, resource)
      await assertWaits([store], second, first)
      events.push(first)
    }
    const keys = events.map(({ key }) => key)
    assert.deepEqual(await dueAmong(store, events), keys, 'two resources were taken for one')
  },
})
