import assert from 'node:assert/strict'
import type { BulkStore } from '../../store/bulk-store.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, deadEvents, step, takenRun } from './bulk-bench.js'

/** Laws of runs: their list, and the worker that has one. */
export const runLaws = <Tx>(): Laws<Store<Tx>> => ({
  'runs are listed newest first, in pages, and each endpoint has its own': aboutBulk<Tx>(
    async ({ bulk, endpoint }) => {
      const other = freshKey()
      const first = await started(bulk, endpoint)
      const foreign = await started(bulk, other)
      const second = await started(bulk, endpoint)
      const list = async (query: Parameters<typeof bulk.runs>[0]) =>
        (await bulk.runs(query)).map(({ id }) => id)
      assert.deepEqual(await list({ endpoint }), [second, first])
      assert.deepEqual(await list({ endpoint, limit: 1 }), [second])
      assert.deepEqual(await list({ endpoint, after: second }), [first])
      assert.deepEqual(await list({ endpoint, after: first }), [])
      assert.deepEqual(await list({ endpoint, after: foreign }), [], 'a run of another endpoint is no place')
      assert.deepEqual(await list({ endpoint: other }), [foreign])
      const ofAll = (await list({ allEndpoints: true, limit: 1000 })).filter((id) =>
        [first, second, foreign].includes(id),
      )
      assert.deepEqual(ofAll, [second, foreign, first])
    },
  ),

  'a run that waits for its canary stays with its worker until its lease ends': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 2)
      const taken = await takenRun(bulk, { endpoint, action: 'replay' }, { canary: 1 })
      await step(bulk, taken, { most: 1 })
      const { id } = taken.run
      const settle = (leaseSeconds: number) =>
        bulk.settleRun(id, taken.token, { state: 'canary', isPastCanary: false, leaseSeconds })
      const take = () => bulk.takeRun(endpoint, freshKey(), 60)
      assert.equal(await settle(60), true)
      assert.equal((await bulk.readRun(id))?.state, 'canary')
      assert.equal(await take(), undefined)
      assert.equal(await settle(0.01), true)
      await pause(0.1)
      assert.equal((await take())?.id, id)
      assert.equal(await settle(60), false, 'another worker has it')
    },
  ),

  'a run that has ended is nobody’s': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    await deadEvents(store, endpoint, 1)
    const taken = await takenRun(bulk, { endpoint, action: 'discard' })
    await step(bulk, taken)
    const end = { state: 'done', isPastCanary: true, leaseSeconds: 60 } as const
    assert.equal((await bulk.readRun(taken.run.id))?.endedAt, undefined)
    assert.equal(await bulk.settleRun(taken.run.id, taken.token, end), true)
    const { state, endedAt, isHeld } = (await bulk.readRun(taken.run.id)) ?? {}
    assert.deepEqual([state, isHeld], ['done', false])
    assert.ok(endedAt)
    assert.equal(await bulk.settleRun(taken.run.id, taken.token, end), false)
    assert.equal(await bulk.takeRun(endpoint, freshKey(), 60), undefined)
  }),
})

/** Starts a run of a plan without events. Returns its id. */
async function started<Tx>(bulk: BulkStore<Tx>, endpoint: string): Promise<string> {
  const { id: plan } = await bulk.makePlan({ id: freshKey(), endpoint, action: 'discard', where: {} })
  const id = freshKey()
  assert.ok(await bulk.startRun({ id, plan, perSecond: 100, canary: 0 }, audit))
  return id
}
