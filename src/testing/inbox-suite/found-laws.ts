import assert from 'node:assert/strict'
import type { OnceOutcome, Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { accepted, dueAmong, fail, inboxOf, kept, mustNotRun, newEvent } from './stored-event.js'

/**
 * Laws of the events that a worker has found in the inbox. Several workers find the same event, and what one of them has found
 * grows old while it waits for a place.
 */
export const foundLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'an event that a worker found has the outcomes of a delivery'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = { ...(await accepted(here)), isKept: true }
    const other = { ...event, contentHash: freshKey() }
    assert.deepEqual(await there.once(other, mustNotRun), {
      state: 'duplicate',
      contentHash: event.contentHash,
    })
    await fail(here, event, new Error('no such account'))
    const outcome = await there.once(event, async ({ attempt }) => attempt)
    assert.ok(outcome.state === 'done' && outcome.value === outcome.attempt)
    const { state, attempt, lastError, body } = await kept(here, event)
    assert.deepEqual([state, attempt, lastError], ['done', outcome.attempt, undefined])
    assert.deepEqual(Uint8Array.from(body), event.body)
    for (const store of [here, there]) {
      const { contentHash } = event
      assert.deepEqual(await store.once(event, mustNotRun), { state: 'duplicate', contentHash })
    }
  },

  async 'an event that was discarded since a worker found it does not run, and stays away'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = { ...newEvent(), isKept: true }
    assert.equal((await there.once(event, mustNotRun)).state, 'busy')
    assert.equal(await inboxOf(here).read(event.key), undefined)
  },

  async 'an event that failed since a worker found it waits until it is found again'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    const found = { ...event, isKept: true, seen: await kept(there, event) }
    await fail(here, found, new Error('no such account'))
    assert.equal((await there.once(found, mustNotRun)).state, 'busy')
    const again = { ...found, seen: await kept(there, event) }
    assert.equal((await there.once(again, async () => {})).state, 'done')
  },

  async 'an event whose failure was noted since a worker found it waits until it is found again'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = { ...(await accepted(here)), isKept: true }
    await fail(here, event)
    const found = { ...event, seen: await kept(there, event) }
    await inboxOf(here).postpone(event.key, 60, 'failed')
    assert.equal((await there.once(found, mustNotRun)).state, 'busy')
    const again = { ...event, seen: await kept(there, event) }
    assert.equal((await there.once(again, async () => {})).state, 'done')
  },

  async 'an event that was replayed since a worker found it waits until it is found again'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = { ...(await accepted(here)), isKept: true }
    const found = { ...event, seen: await kept(there, event) }
    await inboxOf(here).markDead(event.key, 'given up')
    await inboxOf(here).requeue(event.key, { reason: 'a law', actor: 'a law' }, async () => {})
    assert.equal((await there.once(found, mustNotRun)).state, 'busy')
    const again = { ...event, seen: await kept(there, event) }
    assert.equal((await there.once(again, async () => {})).state, 'done')
  },

  async 'an event that failed is not due before its queue has set its next attempt'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await fail(here, { ...event, isKept: true }, new Error('no such account'))
    assert.deepEqual(await dueAmong(there, [event]), [])
    await inboxOf(here).postpone(event.key, 0, 'no such account')
    assert.deepEqual(await dueAmong(there, [event]), [event.key])
  },

  async 'of two workers that found an event one runs it, also if it fails'({ make }) {
    const [here, there] = [await make(), await make()]
    // A store that runs one transaction at a time answers the other worker after the first one. One round finds that out.
    let patience = 2
    for (let round = 0; round < 10; round++) {
      const event = await accepted(here)
      const found = { ...event, isKept: true, seen: await kept(here, event) }
      let other: Promise<OnceOutcome<void>> | undefined
      const failed = here.once(found, async () => {
        other = there.once(found, mustNotRun)
        const late = pause(patience).then(() => 'late')
        patience = (await Promise.race([other, late])) === 'late' ? 0 : 2
        throw new Error('no such account')
      })
      await assert.rejects(failed, /no such account/)
      assert.equal((await other)?.state, 'busy')
      const { state, attempt, lastError } = await kept(there, event)
      assert.deepEqual([state, attempt], ['failed', 1])
      assert.match(lastError ?? '', /no such account/)
    }
  },
})
