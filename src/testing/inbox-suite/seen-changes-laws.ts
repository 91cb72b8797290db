import assert from 'node:assert/strict'
import type { FailureGroup } from '../../store/failure-log.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { aboutBulk, audit, deadEvents, takenRun } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, inboxOf } from './stored-event.js'

const isGroupConflict = { name: 'ConflictError', code: 'group_changed' }
const isRunConflict = { name: 'ConflictError', code: 'run_changed' }

/** Laws of a change of a group or a run that says what its caller saw. */
export const seenChangesLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a group changes its state only if it is as the caller saw it': needs('failures', async ({ make }) => {
    const [here, there] = [await make(), await make()]
    const [failures, endpoint] = [capabilityOf(there, 'failures'), freshKey()]
    const failOnce = async () =>
      inboxOf(here).markDead((await accepted(here, { endpoint })).key, 'the rail is down')
    const only = async () => (await failures.groups({ endpoint }))[0] as FailureGroup
    const audits = async () => (await inboxOf(here).auditLog?.list({ endpoint }))?.length
    await failOnce()
    const seen = await only()
    const { group } = seen
    const set = (state: FailureGroup['state'], to?: FailureGroup) =>
      failures.setState(endpoint, group, state, audit, to)
    assert.equal(await set('resolved', seen), true)
    const before = await audits()
    for (const state of ['acknowledged', 'resolved', 'open'] as const) {
      await assert.rejects(set(state, seen), isGroupConflict)
    }
    await failOnce()
    const again = await only()
    assert.equal(again.state, seen.state)
    for (const state of ['acknowledged', 'resolved'] as const) {
      await assert.rejects(set(state, seen), isGroupConflict, 'it came back')
    }
    assert.deepEqual(await only(), again)
    assert.equal(await audits(), before === undefined ? undefined : before + 1, 'that it came back')
    assert.equal(await set('acknowledged', again), true)
    assert.equal(await failures.setState(endpoint, freshKey(), 'resolved', audit, seen), false)
  }),

  'of two concurrent changes of what both saw, one changes a group': needs('failures', async ({ make }) => {
    const stores = [await make(), await make()]
    const endpoint = freshKey()
    const [store] = stores as [Store<Tx>]
    await inboxOf(store).markDead((await accepted(store, { endpoint })).key, 'the rail is down')
    const [seen] = await capabilityOf(store, 'failures').groups({ endpoint })
    const outcomes = await Promise.allSettled(
      stores.map((each, i) =>
        capabilityOf(each, 'failures').setState(
          endpoint,
          seen?.group as string,
          i ? 'resolved' : 'acknowledged',
          audit,
          seen,
        ),
      ),
    )
    const rejected = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
    assert.deepEqual(rejected, [isGroupConflict.code])
  }),

  'a run is paused, resumed and cancelled only if nobody changed it since the caller looked': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 2)
      const { run: seen } = await takenRun(bulk, { endpoint, action: 'discard' })
      const read = async () => (await bulk.readRun(seen.id)) ?? seen
      assert.equal(await bulk.changeRun(seen.id, 'paused', audit, seen), true)
      const paused = await read()
      assert.equal(await bulk.changeRun(seen.id, 'paused', audit, seen), false, 'it is paused')
      await assert.rejects(bulk.changeRun(seen.id, 'cancelled', audit, seen), isRunConflict)
      assert.equal(await bulk.changeRun(seen.id, 'running', audit, paused), true)
      assert.equal(await bulk.changeRun(seen.id, 'running', audit, paused), false, 'it runs')
      await assert.rejects(bulk.changeRun(seen.id, 'paused', audit, seen), isRunConflict)
      const running = await read()
      assert.equal(await bulk.changeRun(seen.id, 'paused', { ...audit, reason: 'anew' }, running), true)
      await assert.rejects(bulk.changeRun(seen.id, 'running', audit, paused), isRunConflict)
      const anew = await read()
      assert.equal(anew.state, 'paused')
      const entries = (await inboxOf(store).auditLog?.list({ endpoint, run: seen.id })) ?? []
      assert.ok(entries.length <= 4, 'a rejected call has no audit')
      assert.equal(await bulk.changeRun(seen.id, 'cancelled', audit, anew), true)
      assert.equal(await bulk.changeRun(seen.id, 'running', audit, anew), false, 'it has ended')
    },
  ),

  'a run that its canary stopped since is not resumed, but can be cancelled': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 2)
      const { run, token } = await takenRun(bulk, { endpoint, action: 'replay' }, { canary: 1 })
      const to = { isPastCanary: false, leaseSeconds: 60 }
      await bulk.settleRun(run.id, token, { ...to, state: 'canary' })
      const seen = await bulk.readRun(run.id)
      await bulk.settleRun(run.id, token, { ...to, state: 'stopped' })
      await assert.rejects(bulk.changeRun(run.id, 'running', audit, seen), isRunConflict)
      assert.equal((await bulk.readRun(run.id))?.state, 'stopped')
      assert.equal(await bulk.changeRun(run.id, 'cancelled', audit, seen), true)
    },
  ),
})
