import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { eventually, freshKey, type Laws } from '../laws.js'
import {
  accepted,
  dueAmong,
  fail,
  finish,
  inboxOf,
  kept,
  mustNotRun,
  newEvent,
  nothing,
  type Words,
} from './stored-event.js'

const audit = { reason: 'the bank has answered', actor: 'ops@example.com' }

/** Laws of retries, dead events and replays. */
export const retryLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  async 'a failed attempt is recorded, and the event can run again'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    for (const attempt of [1, 2]) {
      await fail(here, event, new TypeError(`failure ${attempt}`))
      const stored = await kept(there, event)
      assert.deepEqual([stored.state, stored.attempt], ['failed', attempt])
      assert.match(stored.lastError ?? '', new RegExp(`TypeError.*failure ${attempt}`))
      assert.ok(stored.retryAt !== undefined && Number.isFinite(Date.parse(stored.retryAt)))
    }
    assert.deepEqual(await there.once(event, async () => 'value'), {
      state: 'done',
      value: 'value',
      attempt: 3,
    })
    const stored = await kept(here, event)
    assert.deepEqual([stored.state, stored.lastError, stored.retryAt], ['done', undefined, undefined])
  },

  async 'an error message may contain any characters'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await fail(store, event, new Error(`\0 \uD800 ${'x'.repeat(1_000_000)}`))
    assert.equal((await kept(store, event)).state, 'failed')
    await inboxOf(store).postpone(event.key, 0, `\0 \uD800 ${'x'.repeat(1_000_000)}`)
    await inboxOf(store).markDead(event.key, `\0 \uD800 ${'x'.repeat(1_000_000)}`)
    const stored = await kept(store, event)
    assert.equal(stored.state, 'dead')
    assert.ok((stored.lastError ?? '').length < 100_000, 'an error as long as it likes')
  },

  async 'accepted events are due, oldest first, up to the limit'({ make }) {
    const [here, there] = [await make(), await make()]
    const events = [await accepted(here), await accepted(there), await accepted(here)]
    const keys = events.map(({ key }) => key)
    assert.deepEqual(await dueAmong(there, events), keys)
    const again = await accepted(there)
    await inboxOf(there).postpone(again.key, 0, 'try at once')
    assert.equal((await inboxOf(here).due(2)).length, 2, 'accepted and failed events share the limit')
    await finish(there, events[1] as EventRef)
    assert.deepEqual(await dueAmong(here, events), [keys[0], keys[2]])
    const [first] = events as [EventRef]
    const ofOneEndpoint = await inboxOf(here).due(100, first.endpoint)
    assert.deepEqual(
      ofOneEndpoint.map(({ key }) => key),
      [first.key],
    )
  },

  async 'a search for due events can leave the bodies out'({ make }) {
    const store = await make()
    const { endpoint, type, body } = await accepted(store)
    for (const filter of [{}, { onlyTypes: [type] }, { exceptTypes: ['another'] }]) {
      const find = async (bodies?: boolean) =>
        (await inboxOf(store).due(10, endpoint, { ...filter, bodies }))[0]
      const [whole, brief] = [await find(), await find(false)]
      assert.deepEqual([whole?.body.length, whole?.bodyBytes], [body.length, undefined])
      assert.deepEqual([brief?.body.length, brief?.bodyBytes], [0, body.length])
    }
  },

  async 'a postponed event is due after its delay'({ make }) {
    const store = await make()
    const [now, soon, later] = [await accepted(store), await accepted(store), await accepted(store)]
    await inboxOf(store).postpone(now.key, 0, 'try at once')
    await inboxOf(store).postpone(soon.key, 1, 'try soon')
    await inboxOf(store).postpone(later.key, 3600, 'try later')
    assert.deepEqual(await dueAmong(store, [now, later]), [now.key])
    const stored = await kept(store, later)
    assert.deepEqual([stored.state, stored.lastError, stored.failures], ['failed', 'try later', 1])
    await inboxOf(store).postpone(later.key, 3600, 'try later still')
    assert.equal((await kept(store, later)).failures, 2)
    const wait = Date.parse(stored.retryAt ?? '') - Date.parse((await kept(store, now)).retryAt ?? '')
    assert.ok(Math.abs(wait - 3_600_000) < 60_000, `${wait} ms`)
    await eventually(async () => (await dueAmong(store, [soon])).length > 0 || undefined)
    assert.equal((await store.once(later, nothing)).state, 'done', 'a delivery need not wait for the queue')
  },

  async 'a failed event says whether it waits for its next attempt'({ make }) {
    const [here, there] = [await make(), await make()]
    const resource = freshKey()
    const event = await accepted(here, { resource })
    const { key, endpoint } = event
    const inbox = inboxOf(there)
    const all = async () => [
      await kept(there, event),
      await inbox.nextForResource(key),
      ...(await inbox.list({ endpoint })),
      ...(await inbox.due(100, endpoint)),
    ]
    const said = async () => (await all()).map((each) => each?.isBeforeRetry)
    assert.deepEqual(await said(), [undefined, undefined, undefined, undefined])
    await inboxOf(here).postpone(key, 3600, 'try later')
    assert.deepEqual(await said(), [true, true, true])
    for (const each of await all()) {
      const left = each?.retryInSeconds ?? 0
      assert.ok(left > 3500 && left <= 3600, `${left} s left`)
    }
    await inboxOf(here).postpone(key, 0, 'try at once')
    assert.deepEqual(await said(), [false, false, false, false])
    assert.ok((await all()).every((each) => each?.retryInSeconds === undefined))
  },

  async 'only a replay runs a dead event'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await inboxOf(here).markDead(event.key, 'RangeError: given up')
    const stored = await kept(there, event)
    assert.deepEqual([stored.state, stored.lastError, stored.failures], ['dead', 'RangeError: given up', 1])
    for (const store of [here, there]) {
      assert.equal((await store.once(event, mustNotRun)).state, 'busy')
      assert.equal((await inboxOf(store).accept(event, mustNotRun)).state, 'duplicate')
      await inboxOf(store).postpone(event.key, 0, 'must change nothing')
      assert.deepEqual(await dueAmong(store, [event]), [])
    }
    assert.equal((await kept(here, event)).state, 'dead')
    assert.equal(await inboxOf(here).requeue(event.key, audit, nothing), 1)
    assert.deepEqual(await dueAmong(there, [event]), [event.key])
    assert.deepEqual(await there.once(event, async () => 'value'), {
      state: 'done',
      value: 'value',
      attempt: 1,
    })
  },

  async 'postpone and markDead do not change a done event'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await finish(store, event)
    await inboxOf(store).postpone(event.key, 0, 'too late')
    await inboxOf(store).markDead(event.key, 'too late')
    const stored = await kept(store, event)
    assert.deepEqual([stored.state, stored.lastError], ['done', undefined])
  },

  async 'a replay runs a done event again, with the next generation and a job'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    for (const generation of [1, 2]) {
      // It fails first, so that the replay has something to reset.
      await fail(there, event)
      await inboxOf(there).postpone(event.key, 0, 'try again')
      assert.equal((await kept(here, event)).failures, 1)
      await finish(there, event)
      const word = freshKey()
      const reopened = await inboxOf(here).requeue(event.key, audit, async (tx, next) => {
        assert.equal(next, generation)
        await write(tx, word)
      })
      assert.equal(reopened, generation)
      assert.ok((await written()).includes(word))
      const stored = await kept(there, event)
      const { state, attempt, failures } = stored
      assert.deepEqual({ state, attempt, failures }, { state: 'accepted', attempt: 0, failures: 0 })
      assert.equal(stored.generation, generation)
      assert.equal(stored.doneAt, undefined)
    }
    assert.deepEqual(await here.once(event, nothing), { state: 'done', value: undefined, attempt: 1 })
  },

  async 'a replay whose job cannot be enqueued changes nothing'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await finish(store, event)
    const error = new Error('the queue is down')
    const word = freshKey()
    await assert.rejects(
      inboxOf(store).requeue(event.key, audit, async (tx) => {
        await write(tx, word)
        throw error
      }),
      error,
    )
    assert.deepEqual([(await kept(store, event)).state, (await kept(store, event)).generation], ['done', 0])
    assert.ok(!(await written()).includes(word))
  },

  async 'an unknown event cannot be replayed, postponed or marked dead'({ make }) {
    const inbox = inboxOf(await make())
    const { key } = newEvent()
    assert.equal(await inbox.requeue(key, audit, mustNotRun), undefined)
    await inbox.postpone(key, 0, 'unknown')
    await inbox.markDead(key, 'unknown')
    assert.equal(await inbox.read(key), undefined)
  },
})
