import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { eventually, freshKey, type Laws } from '../laws.js'
import {
  accepted,
  anyBytes,
  begin,
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

/** Laws of `accept`. */
export const acceptLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  async 'every instance reads an accepted event with its exact bytes'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = newEvent({ endpoint: 'straße — 事件', type: 'law.tried', id: 'evt_ümläut' })
    assert.deepEqual(await inboxOf(here).accept(event, nothing), { state: 'accepted' })
    for (const store of [here, there]) {
      const stored = await kept(store, event)
      for (const part of ['key', 'contentHash', 'endpoint', 'id', 'type', 'createdAt'] as const) {
        assert.equal(stored[part], event[part], part)
      }
      assert.deepEqual(Uint8Array.from(stored.body), anyBytes)
      assert.deepEqual([stored.state, stored.attempt, stored.generation], ['accepted', 0, 0])
      assert.ok(Math.abs(Date.parse(stored.receivedAt) - Date.now()) < 3_600_000, stored.receivedAt)
      for (const part of ['doneAt', 'retryAt', 'lastError'] as const) {
        assert.equal(stored[part], undefined, part)
      }
    }
    assert.equal(await inboxOf(here).read(freshKey()), undefined)
  },

  async 'an empty body is stored'({ make }) {
    const store = await make()
    const event = await accepted(store, { body: new Uint8Array() })
    assert.equal((await kept(store, event)).body.length, 0)
  },

  async 'the event and its job commit together'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = newEvent()
    const outcome = await inboxOf(here).accept(event, async (tx) => {
      await write(tx, event.key)
      assert.equal(await inboxOf(there).read(event.key), undefined, 'seen before it is committed')
    })
    assert.deepEqual(outcome, { state: 'accepted' })
    assert.ok((await written()).includes(event.key))
    assert.equal((await kept(there, event)).state, 'accepted')
  },

  async 'when enqueue rejects, nothing is stored and accept rejects with the same error'({ make }) {
    const store = await make()
    const event = newEvent()
    const error = new Error('the queue is down')
    await assert.rejects(
      inboxOf(store).accept(event, async (tx) => {
        await write(tx, event.key)
        throw error
      }),
      error,
    )
    assert.equal(await inboxOf(store).read(event.key), undefined)
    assert.ok(!(await written()).includes(event.key))
    assert.deepEqual(await inboxOf(store).accept(event, nothing), { state: 'accepted' })
  },

  async 'a second accept is a duplicate with the stored content hash, and enqueues no second job'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    const word = freshKey()
    const duplicate = { state: 'duplicate', contentHash: event.contentHash }
    for (const store of [here, there]) {
      for (const contentHash of [event.contentHash, freshKey()]) {
        const again = { ...event, contentHash, body: new Uint8Array([1]) }
        const outcome = await inboxOf(store).accept(again, async (tx) => {
          await write(tx, word)
        })
        assert.deepEqual(outcome, duplicate)
      }
    }
    assert.ok(!(await written()).includes(word))
    assert.deepEqual(Uint8Array.from((await kept(there, event)).body), anyBytes)
  },

  async 'accept resolves to duplicate immediately while the event runs'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here, {}, { waitSeconds: 5 })
    const whileItRuns = async () => {
      const startedAt = performance.now()
      for (const store of [here, there]) {
        assert.equal((await inboxOf(store).accept(event, mustNotRun)).state, 'duplicate')
        assert.deepEqual(await dueAmong(store, [event]), [], 'held under a claim')
      }
      assert.ok(performance.now() - startedAt < 4000, 'a duplicate waited for the handler')
    }
    const error = new Error('once more')
    const failed = here.once(event, async () => {
      await whileItRuns()
      throw error
    })
    await assert.rejects(failed, error)
    assert.equal((await here.once(event, whileItRuns)).state, 'done')
  },

  async 'one of several concurrent deliveries is accepted, with one job'({ make }) {
    const stores = [await make(), await make()]
    const event = newEvent()
    const words = Array.from({ length: 40 }, freshKey)
    const outcomes = await Promise.all(
      words.map((word, i) =>
        inboxOf(stores[i % 2] as Store<Tx>).accept(event, async (tx) => {
          await write(tx, word)
        }),
      ),
    )
    const states = outcomes.map(({ state }) => state)
    assert.equal(states.filter((state) => state === 'accepted').length, 1)
    assert.ok(states.every((state) => ['accepted', 'duplicate', 'busy'].includes(state)))
    const committed = new Set(await written())
    assert.equal(words.filter((word) => committed.has(word)).length, 1)
  },

  async 'concurrent accepts without a job each get their own outcome'({ make }) {
    const [here, there] = [await make(), await make()]
    const odd = ['', ' ', 'NULL', '"', '\\', '{,}', "'", 'ümläut', '$1', '\n']
    const events = Array.from({ length: 60 }, (_, i) =>
      newEvent({ id: `evt_${i}`, type: `law.${odd[i % odd.length]}`, body: anyBytes.subarray(i * 4) }),
    )
    const [known, run, failed] = [await accepted(here), newEvent(), newEvent()]
    await finish(here, run)
    await fail(there, failed)
    const concurrent = {
      ...(events[7] as (typeof events)[0]),
      contentHash: freshKey(),
      body: new Uint8Array([7]),
    }
    const all = [...events.slice(0, 30), known, run, failed, concurrent, ...events.slice(30)]
    const outcomes = await Promise.all(all.map((event) => inboxOf(here).accept(event)))
    const duplicate = ({ contentHash }: { contentHash: string }) => ({ state: 'duplicate', contentHash })
    for (const [i, event] of all.entries()) {
      const first = event === concurrent ? (events[7] as typeof event) : event
      const isKnown = [known, run, concurrent].includes(event)
      assert.deepEqual(outcomes[i], isKnown ? duplicate(first) : { state: 'accepted' }, `${event.id} ${i}`)
    }
    for (const event of events) {
      const stored = await kept(there, event)
      for (const part of ['contentHash', 'endpoint', 'id', 'type', 'createdAt'] as const) {
        assert.equal(stored[part], event[part], part)
      }
      assert.deepEqual(Uint8Array.from(stored.body), event.body)
      assert.deepEqual([stored.state, stored.attempt], ['accepted', 0])
    }
  },

  async 'an accepted event runs once and is then done'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    assert.deepEqual(await there.once(event, async ({ attempt }) => attempt), {
      state: 'done',
      value: 1,
      attempt: 1,
    })
    const stored = await kept(here, event)
    assert.deepEqual([stored.state, stored.attempt], ['done', 1])
    assert.ok(stored.doneAt !== undefined && Math.abs(Date.parse(stored.doneAt) - Date.now()) < 3_600_000)
    assert.equal(stored.lastError, undefined)
    for (const store of [here, there]) {
      const { contentHash } = event
      assert.deepEqual(await store.once(event, mustNotRun), { state: 'duplicate', contentHash })
      assert.deepEqual(await inboxOf(store).accept(event, mustNotRun), { state: 'duplicate', contentHash })
    }
  },

  async 'an event that runs without an accept is stored'({ make }) {
    const store = await make()
    const [good, bad] = [newEvent(), newEvent()]
    await finish(store, good)
    await fail(store, bad, new Error('no such account'))
    const [done, failed] = [await kept(store, good), await kept(store, bad)]
    assert.deepEqual([done.state, done.attempt, done.generation], ['done', 1, 0])
    assert.deepEqual([failed.state, failed.attempt, failed.generation], ['failed', 1, 0])
    assert.match(failed.lastError ?? '', /no such account/)
    for (const stored of [done, failed]) {
      assert.deepEqual(Uint8Array.from(stored.body), anyBytes)
    }
  },

  async 'an event that failed without a queue can be accepted with a job'({ make }) {
    const store = await make()
    const event = newEvent()
    await fail(store, event)
    const outcome = await inboxOf(store).accept(event, async (tx) => {
      await write(tx, event.key)
    })
    assert.deepEqual(outcome, { state: 'accepted' })
    assert.ok((await written()).includes(event.key))
    const { state, attempt, failures, lastError } = await kept(store, event)
    assert.deepEqual([state, attempt, failures, lastError], ['accepted', 0, 0, undefined])
    assert.equal((await inboxOf(store).accept(event, mustNotRun)).state, 'duplicate')
  },

  async 'a handler whose claim has expired does not mark an event done that was accepted since'({
    make,
    shortLeaseSeconds,
  }) {
    const [here, there] = [await make(), await make()]
    const durations = { leaseSeconds: shortLeaseSeconds, workSeconds: shortLeaseSeconds / 4, waitSeconds: 0 }
    const event = newEvent({}, durations)
    const other = { ...event, contentHash: freshKey() }
    const { end, outcome } = await begin(here, event)
    await eventually(async () => {
      const { state } = await inboxOf(there).accept(other, nothing)
      assert.notEqual(state, 'duplicate')
      return state === 'accepted' || undefined
    })
    end()
    await outcome.catch(() => {})
    const { state, contentHash } = await kept(there, event)
    assert.deepEqual([state, contentHash], ['accepted', other.contentHash])
  },
})
