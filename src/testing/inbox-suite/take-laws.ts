import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { capabilityOf } from './capabilities.js'
import { accepted, fail, finish, inboxOf, kept, mustNotRun, newEvent, nothing } from './stored-event.js'

const take = <Tx>(store: Store<Tx>, event: EventRef) => capabilityOf(store, 'take')(event, event.durations)

/** Takes an event. Returns it, and its reference for `once`. */
async function taken<Tx>(store: Store<Tx>, event: EventRef) {
  const found = await take(store, event)
  assert.ok(found, 'an event that could be taken was not')
  return { ...found, ref: { ...event, isKept: true, claim: found.claim } }
}

/** Laws of reading an event and claiming it at the same time. */
export const takeLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'an event is taken as read returns it, and once runs it under that claim'({ make }) {
    const [here, there] = [await make(), await make()]
    for (const over of [{}, { resource: 'tr_1', traceContext: 'trace' }]) {
      const event = await accepted(here, over)
      const before = await kept(there, event)
      const { event: found, claim, ref } = await taken(here, event)
      assert.deepEqual({ ...found, body: Uint8Array.from(found.body) }, { ...before, body: event.body })
      assert.equal((await there.once({ ...event, isKept: true }, mustNotRun)).state, 'busy')
      const outcome = await here.once(ref, async ({ attempt }) => attempt)
      assert.deepEqual(outcome, { state: 'done', value: 1, attempt: 1 })
      // The claim has ended.
      await claim.release()
      const { state, attempt } = await kept(there, event)
      assert.deepEqual([state, attempt], ['done', 1])
    }
  },

  async 'a claim that is released leaves the event as it was'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here, { resource: 'tr_1' })
    const before = await kept(there, event)
    const { claim, ref } = await taken(here, event)
    await Promise.all([claim.release(), claim.release()])
    assert.deepEqual(await kept(there, event), before)
    const again = await taken(there, event)
    assert.equal((await here.once(ref, mustNotRun)).state, 'busy')
    await again.claim.release()
    assert.equal((await here.once(ref, nothing)).state, 'done')
  },

  async 'work that fails under a claim that was taken is noted as any other'({ make }) {
    const [here, there] = [await make(), await make()]
    const [event, other] = [await accepted(here), await accepted(here)]
    await fail(here, (await taken(here, event)).ref)
    await fail(here, { ...other, isKept: true })
    const noted = async (of: EventRef) => {
      const { state, attempt, failures, lastError, attempts = [] } = await kept(there, of)
      return { state, attempt, failures, lastError, attempts: attempts.map(({ attempt }) => attempt) }
    }
    assert.deepEqual(await noted(event), await noted(other))
    assert.equal((await noted(event)).state, 'failed')
  },

  async 'a claim runs only the event that it was taken of, with its content'({ make }) {
    const [here, there] = [await make(), await make()]
    const [event, other] = [await accepted(here), await accepted(here)]
    const { claim, ref } = await taken(here, event)
    assert.equal((await here.once({ ...other, isKept: true, claim }, nothing)).state, 'done')
    const edited = { ...ref, contentHash: other.contentHash }
    assert.equal((await here.once(edited, mustNotRun)).state, 'duplicate')
    assert.equal((await kept(there, event)).state, 'accepted')
    assert.equal((await here.once(ref, nothing)).state, 'done')
  },

  async 'only an accepted event is taken that nobody has and whose turn it is'({ make }) {
    const [here, there] = [await make(), await make()]
    const inbox = inboxOf(here)
    const [failed, done, dead, first] = [
      await accepted(here),
      await accepted(here),
      await accepted(here),
      await accepted(here, { resource: 'tr_1' }),
    ]
    const second = await accepted(here, { resource: 'tr_1', endpoint: first.endpoint })
    await fail(here, failed)
    await finish(here, done)
    await inbox.markDead(dead.key, 'given up')
    for (const event of [failed, done, dead, second, newEvent()]) {
      // The time that is left of its pause changes with the clock.
      const read = async () => ({ ...(await inbox.read(event.key)), retryInSeconds: undefined })
      const before = await read()
      assert.equal(await take(there, event), undefined)
      assert.deepEqual(await read(), before)
    }
    const { claim } = await taken(here, first)
    assert.equal(await take(there, first), undefined)
    await claim.release()
    await finish(here, first)
    await (await taken(there, second)).claim.release()
  },
})
