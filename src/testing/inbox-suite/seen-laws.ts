import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { accepted, finish, inboxOf, kept, nothing, type Words } from './stored-event.js'

const audit = { reason: 'known to the bank', actor: 'suite' }
const isBusy = { name: 'StoreError', message: /being worked on/ }
const isConflict = { name: 'ConflictError', code: 'event_changed' }

/** Laws of a change that says what its caller saw. */
export const seenLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  async 'an event runs again only if it is as the caller saw it'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await inboxOf(here).markDead(event.key, 'given up')
    const seen = await kept(here, event)
    const replay = (to = seen) => inboxOf(there).requeue(event.key, audit, nothing, to)
    assert.equal(await replay(), 1)
    await finish(here, event)
    const enqueue = async (tx: Tx) => void (await write(tx, event.key))
    await assert.rejects(inboxOf(there).requeue(event.key, audit, enqueue, seen), isConflict)
    await assert.rejects(replay({ ...seen, generation: 1 }), isConflict)
    await assert.rejects(replay({ ...seen, state: 'done' }), isConflict)
    const { state, generation } = await kept(there, event)
    assert.deepEqual([state, generation], ['done', 1])
    assert.ok(!(await written()).includes(event.key))
    const entries = (await inboxOf(here).auditLog?.list({ allEndpoints: true, key: event.key })) ?? []
    assert.ok(entries.length <= 1, 'a change that was rejected has no audit')
    assert.equal(await replay(await kept(here, event)), 2)
  },

  async 'an event is not replayed while it runs'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    const seen = await kept(here, event)
    const outcome = await here.once(event, async () => {
      await assert.rejects(inboxOf(there).requeue(event.key, audit, nothing, seen), isBusy)
    })
    assert.equal(outcome.state, 'done')
    const { state, generation } = await kept(there, event)
    assert.deepEqual([state, generation], ['done', 0])
  },

  async 'of two concurrent replays of what both saw, one runs'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await inboxOf(here).markDead(event.key, 'given up')
    const seen = await kept(here, event)
    const outcomes = await Promise.allSettled(
      [here, there, here].map((store) => inboxOf(store).requeue(event.key, audit, nothing, seen)),
    )
    const values = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.deepEqual(values, [1])
    for (const each of outcomes) {
      assert.ok(each.status === 'fulfilled' || each.reason.code === isConflict.code, 'not a conflict')
    }
    assert.equal((await kept(here, event)).generation, 1)
  },

  async 'an event is discarded only if it is as the caller saw it'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await inboxOf(here).markDead(event.key, 'given up')
    const seen = await kept(here, event)
    await inboxOf(here).requeue(event.key, audit, nothing)
    const discard = (to = seen) => inboxOf(there).discard(event.key, audit, 0, to)
    await assert.rejects(discard(), isConflict)
    await inboxOf(here).markDead(event.key, 'given up')
    await assert.rejects(discard(), isConflict)
    const now = await kept(here, event)
    assert.deepEqual([now.state, now.generation], ['dead', 1])
    assert.equal(await discard(now), true)
    assert.equal(await discard(now), false, 'it is gone')
    assert.equal(await inboxOf(there).requeue(event.key, audit, nothing, now), undefined)
  },
})
