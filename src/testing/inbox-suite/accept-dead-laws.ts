import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import {
  accepted,
  anyBytes,
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

const audit = { reason: 'the schema is fixed', actor: 'suite' }

/** Laws of events that no retry can process. */
export const acceptDeadLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  async 'an event accepted as dead is stored as dead immediately, and listed'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = newEvent({ resource: 'tr_1' })
    const outcome = await inboxOf(here).acceptDead(event, 'invalid_data', 'data.amount')
    assert.deepEqual(outcome, { state: 'dead' })
    const stored = await kept(there, event)
    assert.deepEqual([stored.state, stored.lastError], ['dead', 'invalid_data: data.amount'])
    assert.deepEqual([stored.id, stored.resource, stored.contentHash], [event.id, 'tr_1', event.contentHash])
    assert.deepEqual(Uint8Array.from(stored.body), anyBytes)
    const listed = await inboxOf(there).list({ endpoint: event.endpoint, state: 'dead' })
    assert.deepEqual(
      listed.map(({ key }) => key),
      [event.key],
    )
    assert.deepEqual(await dueAmong(there, [event]), [])
    assert.equal((await there.once(event, mustNotRun)).state, 'busy')
    const { contentHash } = event
    assert.deepEqual(await inboxOf(there).accept(event, mustNotRun), { state: 'duplicate', contentHash })
  },

  async 'a dead event is accepted as dead again, and other content is a conflict'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = newEvent()
    for (const store of [here, there]) {
      const outcome = await inboxOf(store).acceptDead(event, 'invalid_data', 'data.amount')
      assert.deepEqual(outcome, { state: 'dead' })
    }
    const other = { ...event, contentHash: freshKey() }
    const { contentHash } = event
    assert.deepEqual(await inboxOf(there).acceptDead(other, 'invalid_data', ''), {
      state: 'duplicate',
      contentHash,
    })
    assert.equal((await kept(here, event)).contentHash, contentHash)
  },

  async 'an event accepted as dead does not block its resource'({ make }) {
    const store = await make()
    const about = { endpoint: freshKey(), resource: freshKey() }
    const [first, second] = [await accepted(store, about), await accepted(store, about)]
    const outcome = await inboxOf(store).acceptDead(first, 'invalid_data', 'data.amount')
    assert.deepEqual(outcome, { state: 'dead' })
    assert.deepEqual(await dueAmong(store, [first, second]), [second.key])
    await inboxOf(store).acceptDead(newEvent(about), 'invalid_data', 'data.amount')
    await finish(store, second)
  },

  async 'a failed event can be made dead, with or without a job'({ make }) {
    const store = await make()
    const [queued, inline] = [await accepted(store), newEvent()]
    for (const event of [queued, inline]) {
      await fail(store, event)
      const outcome = await inboxOf(store).acceptDead(event, 'invalid_data', 'data.amount')
      assert.deepEqual(outcome, { state: 'dead' })
      assert.equal((await kept(store, event)).state, 'dead')
    }
  },

  async 'a done event, or one accepted with other content, stays as it is'({ make }) {
    const store = await make()
    const [done, waiting] = [newEvent(), await accepted(store)]
    await finish(store, done)
    const { contentHash } = done
    assert.deepEqual(await inboxOf(store).acceptDead(done, 'invalid_data', ''), {
      state: 'duplicate',
      contentHash,
    })
    assert.equal((await kept(store, done)).state, 'done')
    const other = { ...waiting, contentHash: freshKey() }
    assert.deepEqual(await inboxOf(store).acceptDead(other, 'invalid_data', ''), {
      state: 'duplicate',
      contentHash: waiting.contentHash,
    })
    assert.equal((await kept(store, waiting)).state, 'accepted')
  },

  async 'a claimed event is busy, and the caller does not wait'({ make }) {
    const [here, there] = [await make(), await make()]
    for (const event of [newEvent(), await accepted(here)]) {
      const startedAt = performance.now()
      const run = here.once(event, async () => {
        const outcome = await inboxOf(there).acceptDead(event, 'invalid_data', '')
        assert.equal(outcome.state, 'busy')
        assert.ok(performance.now() - startedAt < 4000, 'it waited for the handler')
      })
      assert.equal((await run).state, 'done')
    }
  },

  async 'an event that was accepted dead is replayed with a job, in its place in the order'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = newEvent({ resource: freshKey() })
    const word = freshKey()
    await inboxOf(here).acceptDead(event, 'invalid_data', 'data.amount')
    const generation = await inboxOf(there).requeue(event.key, audit, async (tx) => {
      await write(tx, word)
    })
    assert.equal(generation, 1)
    assert.ok((await written()).includes(word))
    assert.equal((await inboxOf(here).nextForResource(event.key))?.key, event.key)
    assert.equal((await there.once(event, nothing)).state, 'done')
  },
})
