import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { aboutBulk, audit, deadEvents, step, takenRun } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, fail, finish, inboxOf } from './stored-event.js'

/** Laws of steering a run, and of its canary. */
export const canaryLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a run is paused, resumed and cancelled, each with an audit': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 2)
      const { run, token } = await takenRun(bulk, { endpoint, action: 'discard' })
      const take = () => bulk.takeRun(endpoint, freshKey(), 60)
      assert.equal(await bulk.changeRun(run.id, 'paused', audit), true)
      assert.equal(await bulk.changeRun(run.id, 'paused', audit), false)
      assert.equal((await step(bulk, { run, token })).step, undefined)
      assert.equal(await take(), undefined)
      assert.equal(await bulk.changeRun(run.id, 'running', audit), true)
      assert.equal((await take())?.state, 'running')
      assert.equal(await bulk.changeRun(run.id, 'cancelled', audit), true)
      for (const to of ['running', 'paused', 'cancelled'] as const) {
        assert.equal(await bulk.changeRun(run.id, to, audit), false)
      }
      assert.equal(await take(), undefined)
      const { state, remaining, endedAt } = (await bulk.readRun(run.id)) ?? {}
      assert.deepEqual([state, remaining], ['cancelled', 2])
      assert.ok(endedAt)
      const entries = (await inboxOf(store).auditLog?.list({ endpoint, run: run.id })) ?? []
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['cancelRun', 'resumeRun', 'pauseRun', 'startRun'],
      )
      assert.deepEqual(
        (await bulk.runs({ endpoint })).map(({ id }) => id),
        [run.id],
      )
    },
  ),

  'a canary is open until its events are done, and failed when one is dead': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [first, second] = await deadEvents(store, endpoint, 3)
      assert.ok(first && second)
      const taken = await takenRun(bulk, { endpoint, action: 'replay' }, { canary: 2 })
      assert.equal((await step(bulk, taken, { most: 2 })).step?.run.applied, 2)
      const outcome = () => bulk.canaryOutcome(taken.run.id)
      assert.deepEqual(await outcome(), { open: 2, failed: [] })
      await finish(store, first)
      await fail(store, second, new Error('another cause'))
      assert.deepEqual(await outcome(), { open: 1, failed: [] })
      await inboxOf(store).markDead(second.key, 'another cause')
      assert.deepEqual(await outcome(), { open: 0, failed: [second.id] })
      const to = {
        state: 'stopped',
        isPastCanary: false,
        note: 'its canary failed',
        leaseSeconds: 60,
      } as const
      assert.equal(await bulk.settleRun(taken.run.id, taken.token, to), true)
      const stopped = await bulk.readRun(taken.run.id)
      assert.deepEqual([stopped?.state, stopped?.note], ['stopped', to.note])
      assert.equal(await bulk.changeRun(taken.run.id, 'running', audit), true)
      const resumed = await bulk.readRun(taken.run.id)
      assert.deepEqual([resumed?.isPastCanary, resumed?.note], [true, to.note], 'it stays known')
      const token = freshKey()
      await bulk.takeRun(endpoint, token, 60)
      const end = { state: 'done', isPastCanary: true, leaseSeconds: 60 } as const
      assert.equal(await bulk.settleRun(taken.run.id, token, end), true)
      assert.equal((await bulk.readRun(taken.run.id))?.note, to.note)
    },
  ),

  'a canary that fails as it did before has failed, before it is dead': needs(
    'failures',
    aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
      capabilityOf(store, 'failures')
      const event = await accepted(store, { endpoint })
      await inboxOf(store).postpone(event.key, 0, 'handler_failed: Error: the bank is down')
      await inboxOf(store).markDead(event.key, 'handler_failed: Error: the bank is down')
      const taken = await takenRun(bulk, { endpoint, action: 'replay' }, { canary: 1 })
      await step(bulk, taken, { most: 1 })
      await inboxOf(store).postpone(event.key, 60, 'handler_failed: Error: the bank is down')
      assert.deepEqual(await bulk.canaryOutcome(taken.run.id), { open: 0, failed: [event.id] })
    }),
  ),

  'an event that failed before a run retried it is open, and waits, until it has failed again': needs(
    'failures',
    aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
      capabilityOf(store, 'failures')
      const event = await accepted(store, { endpoint })
      const reason = 'handler_failed: Error: the bank is down'
      await inboxOf(store).postpone(event.key, 3600, reason)
      const taken = await takenRun(bulk, { endpoint, action: 'retryNow' }, { canary: 1 })
      assert.equal((await step(bulk, taken, { most: 1 })).step?.run.applied, 1)
      const { id } = taken.run
      assert.deepEqual(await bulk.canaryOutcome(id), { open: 1, failed: [] })
      assert.equal((await bulk.appliedStates(id)).accepted, 1)
      await store
        .once({ ...event, isKept: true }, async () => {
          assert.deepEqual(await bulk.canaryOutcome(id), { open: 1, failed: [] })
          assert.equal((await bulk.appliedStates(id)).accepted, 1)
          throw new Error('the bank is down')
        })
        .catch(() => {})
      await inboxOf(store).postpone(event.key, 3600, reason)
      assert.deepEqual(await bulk.canaryOutcome(id), { open: 0, failed: [event.id] })
      assert.equal((await bulk.appliedStates(id)).failed, 1)
      const [applied] = await bulk.applied(id, { limit: 1, after: 0, state: 'failed' })
      assert.equal(applied?.eventId, event.id)
    }),
  ),
})
