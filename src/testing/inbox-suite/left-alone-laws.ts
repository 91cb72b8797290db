import assert from 'node:assert/strict'
import { givenUpCause } from '../../store/failure-log.js'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { aboutBulk, audit, deadEvents, step, takenRun } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, finish, inboxOf, kept, nothing } from './stored-event.js'

/** Laws of what a run leaves alone, and of what it may change all the same, for an inbox that has plans. */
export const leftAloneLaws = <Tx>(): Laws<Store<Tx>> => ({
  'what changed after the plan is left alone, with the reason': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [replayed, gone, untouched] = await deadEvents(store, endpoint, 3)
      assert.ok(replayed && gone && untouched)
      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      await inboxOf(store).requeue(replayed.key, { ...audit, actor: 'another' }, nothing)
      await inboxOf(store).discard(gone.key, { ...audit, actor: 'another' })
      const { step: done, jobs } = await step(bulk, taken)
      assert.deepEqual(
        jobs.map(({ key }) => key),
        [untouched.key],
      )
      assert.deepEqual(done?.run.skipped, { already_replayed: 1, is_gone: 1 })
      assert.deepEqual([done?.run.applied, done?.run.remaining], [1, 0])
      const left = await bulk.leftAlone(taken.run.id, { limit: 10, after: 0 })
      assert.deepEqual(
        left.map(({ place, key, eventId, because, detail }) => [place, key, eventId, because, detail]),
        [
          [1, replayed.key, replayed.id, 'already_replayed', 'replay by another'],
          [2, gone.key, undefined, 'is_gone', 'discard by another'],
        ],
      )
      assert.equal((await bulk.leftAlone(taken.run.id, { limit: 10, after: 1 })).length, 1)
    },
  ),

  'an event that a handler runs is left alone': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const running = await accepted(store, { endpoint })
    const idle = await accepted(store, { endpoint })
    const taken = await takenRun(bulk, { endpoint, action: 'giveUp' })
    const outcome = await store.once(running, async () => {
      assert.deepEqual((await step(bulk, taken)).step?.run.skipped, { is_running: 1 })
    })
    assert.equal(outcome.state, 'done')
    const { state, lastError } = await kept(store, idle)
    assert.deepEqual([state, lastError], ['dead', audit.reason])
  }),

  'an event whose state changed after the plan is left alone': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [over, waiting] = [await accepted(store, { endpoint }), await accepted(store, { endpoint })]
      const taken = await takenRun(bulk, { endpoint, action: 'giveUp' })
      await finish(store, over)
      const { step: done } = await step(bulk, taken)
      assert.deepEqual([done?.run.applied, done?.run.skipped], [1, { changed_state: 1 }])
      assert.equal((await kept(store, over)).state, 'done')
      assert.equal((await kept(store, waiting)).state, 'dead')
    },
  ),

  'an event that is given up stays in the group of its failure': needs(
    'failures',
    aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
      const failures = capabilityOf(store, 'failures')
      const failed = await accepted(store, { endpoint })
      await inboxOf(store).postpone(failed.key, 3600, 'Error: the rail is down')
      const waiting = await accepted(store, { endpoint, type: 'law.broken' })
      await step(bulk, await takenRun(bulk, { endpoint, action: 'giveUp' }))
      const groups = await failures.groups({ endpoint })
      for (const [event, title] of [
        [failed, 'Error: the rail is down'],
        [waiting, givenUpCause.title],
      ] as const) {
        const { group, lastError, type, attempts = [] } = await kept(store, event)
        assert.equal(attempts.length, event === failed ? 1 : 0, 'to give up is no attempt')
        const own = groups.find((each) => each.title === title)
        assert.deepEqual([own?.group, own?.dead, own?.types], [group, 1, [type]])
        assert.equal(lastError, audit.reason)
      }
    }),
  ),

  'a failed event becomes due without a count, and one that is due is left alone': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [waiting, due] = [await accepted(store, { endpoint }), await accepted(store, { endpoint })]
      await inboxOf(store).postpone(waiting.key, 3600, 'failed')
      await inboxOf(store).postpone(due.key, 0, 'failed')
      const taken = await takenRun(bulk, { endpoint, action: 'retryNow' })
      const { step: done, jobs } = await step(bulk, taken)
      assert.deepEqual(
        jobs.map(({ key, generation, failures }) => [key, generation, failures]),
        [[waiting.key, 0, 1]],
      )
      assert.deepEqual(done?.run.skipped, { is_due: 1 })
      const { state, failures } = await kept(store, waiting)
      assert.deepEqual([state, failures], ['failed', 1])
      assert.ok((await inboxOf(store).due(100, endpoint)).some(({ key }) => key === waiting.key))
    },
  ),

  'an event whose job is rejected can be left alone as failed': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [first] = await deadEvents(store, endpoint, 2)
      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const { step: done, jobs } = await step(bulk, taken, { skipFirst: 'Error: no room' })
      assert.deepEqual([jobs.length, done?.run.applied, done?.run.failed, done?.run.skipped], [1, 1, 1, {}])
      const [left] = await bulk.leftAlone(taken.run.id, { limit: 10, after: 0 })
      assert.deepEqual([left?.key, left?.because, left?.detail], [first?.key, 'failed', 'Error: no room'])
    },
  ),
})
