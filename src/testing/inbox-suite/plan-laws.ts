import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, bulkOf, deadEvents, step, takenRun } from './bulk-bench.js'
import { needs } from './capabilities.js'
import { accepted, finish, inboxOf, kept } from './stored-event.js'

/** Laws of plans: what a selection contains. */
export const planLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a plan keeps its events, and none that is accepted or dies later joins it': needs(
    'bulk',
    async ({ make }) => {
      const [here, there] = [await make(), await make()]
      const bulk = bulkOf(here)
      const endpoint = freshKey()
      const events = await deadEvents(here, endpoint, 3)
      const waiting = await accepted(here, { endpoint })
      await deadEvents(here, freshKey(), 1)
      const plan = await bulk.makePlan({ id: freshKey(), endpoint, action: 'replay', where: {} })
      assert.deepEqual([plan.count, plan.isCapped, plan.endpoint], [3, false, endpoint])
      assert.deepEqual(await bulkOf(there).readPlan(plan.id), plan)
      assert.equal(await bulk.readPlan(freshKey()), undefined)
      const ofAll = { id: freshKey(), allEndpoints: true, action: 'replay', where: {} }
      await assert.rejects(bulk.makePlan(ofAll as never), { code: 'invalid_option' })

      await inboxOf(here).markDead(waiting.key, 'given up')
      await deadEvents(here, endpoint, 1)
      const run = { id: freshKey(), plan: plan.id, perSecond: 100, canary: 0 }
      assert.equal(await bulk.startRun({ ...run, plan: freshKey() }, audit), undefined)
      await bulk.startRun(run, audit)
      const token = freshKey()
      await bulk.takeRun(endpoint, token, 60)
      const { jobs } = await step(bulk, { run: run as never, token })
      assert.deepEqual(
        jobs.map(({ key, generation }) => [key, generation]),
        events.map(({ key }) => [key, 1]),
      )
      assert.equal((await kept(here, waiting)).state, 'dead')
    },
  ),

  'a plan is pruned with its runs when all of them have ended for long enough': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 2)
      const { run: ended } = await takenRun(bulk, { endpoint, action: 'discard' })
      await bulk.changeRun(ended.id, 'cancelled', audit)
      const twice = { id: freshKey(), plan: ended.plan, perSecond: 100, canary: 0 }
      await bulk.startRun(twice, audit)
      const unused = await bulk.makePlan({ id: freshKey(), endpoint, action: 'replay', where: {} })
      await pause(0.05)
      const prune = async (seconds: number) => {
        while ((await bulk.prunePlans(seconds, 2)) > 0) {}
      }
      await prune(3600)
      assert.ok(await bulk.readPlan(unused.id), 'younger than its retention')
      await prune(0.001)
      assert.equal(await bulk.readPlan(unused.id), undefined)
      assert.deepEqual(
        (await bulk.runs({ endpoint })).map(({ id }) => id),
        [twice.id, ended.id],
        'a run of the plan goes on',
      )

      await bulk.changeRun(twice.id, 'cancelled', audit)
      await prune(3600)
      assert.equal((await bulk.runs({ endpoint })).length, 2, 'it has just ended')
      await pause(0.05)
      await prune(0.001)
      assert.equal(await bulk.readPlan(ended.plan), undefined)
      assert.equal(await bulk.readRun(ended.id), undefined)
      assert.deepEqual(await bulk.runs({ endpoint }), [])
      assert.equal(await bulk.startRun({ ...twice, id: freshKey() }, audit), undefined)
      assert.equal((await inboxOf(store).auditLog?.list({ endpoint, run: ended.id }))?.length, 2)
    },
  ),

  'plans are listed newest first, by endpoint and by the beginning of their id': aboutBulk<Tx>(
    async ({ bulk, endpoint }) => {
      const [a, b, elsewhere] = [`p_${freshKey()}`, `p%${freshKey()}`, `p_${freshKey()}`]
      const make = (id: string, at = endpoint) =>
        bulk.makePlan({ id, endpoint: at, action: 'replay', where: { type: 'a.*' } })
      const first = await make(a)
      await pause(0.005)
      const second = await make(b)
      await make(elsewhere, freshKey())
      assert.deepEqual(await bulk.plans({ endpoint, limit: 10 }), [second, first])
      assert.deepEqual(await bulk.plans({ endpoint, limit: 1 }), [second])
      assert.deepEqual(await bulk.plans({ endpoint, limit: 10, startsWith: a.slice(0, 5) }), [first])
      assert.deepEqual(await bulk.plans({ endpoint, limit: 10, startsWith: 'p_' }), [first])
      assert.deepEqual(await bulk.plans({ endpoint, limit: 10, startsWith: a.slice(1) }), [])
      const everywhere = await bulk.plans({ allEndpoints: true, limit: 10, startsWith: elsewhere })
      assert.deepEqual(
        everywhere.map(({ id }) => id),
        [elsewhere],
      )
    },
  ),

  'a plan selects by state, type and time': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const before = new Date(Date.now() - 3_600_000)
    const done = await accepted(store, { endpoint, type: 'transfer.settled' })
    await finish(store, done)
    const dead = await accepted(store, { endpoint, type: 'transfer.failed' })
    await inboxOf(store).markDead(dead.key, 'given up')
    const count = async (where: object) =>
      (await bulk.makePlan({ id: freshKey(), endpoint, action: 'replay', where })).count
    assert.equal(await count({}), 1, 'dead events by default')
    assert.equal(await count({ state: 'done' }), 1)
    assert.equal(await count({ type: 'transfer.*' }), 1)
    assert.equal(await count({ type: 'transfer.settled' }), 0)
    assert.equal(await count({ since: before }), 1)
    assert.equal(await count({ until: before }), 0)
    const where = { type: 'transfer.failed', since: before }
    const plan = await bulk.makePlan({ id: freshKey(), endpoint, action: 'discard', where })
    assert.deepEqual((await bulk.readPlan(plan.id))?.where, where)
  }),
})
