import { expect, it } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { audit, file, openBulkRig, patiently, receiverOf, start, withDead } from './bulk-rig.js'

openBulkRig()

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A receiver on the file of the rig whose bulk store differs. */
function withBulk(change: (bulk: BulkStore<never>) => Partial<BulkStore<never>>) {
  const store = sqliteStore(file())
  const bulk = store.inbox.bulk as BulkStore<never>
  return receiverOf({ store: { ...store, inbox: { ...store.inbox, bulk: { ...bulk, ...change(bulk) } } } })
}

it('a process whose store does not answer looks for runs once, then rests', async () => {
  let searches = 0
  const takeRun = async () => {
    searches++
    throw new StoreError('the store is down')
  }
  await start(withBulk(() => ({ takeRun })))
  await pause(300)
  expect(searches).toBe(1)
})

it('a process takes each run that waits before it rests', async () => {
  await (await withDead(2)).stop()
  const elsewhere = receiverOf()
  const plans = [await elsewhere.plan({ action: 'discard' }), await elsewhere.plan({ action: 'replay' })]
  const runs = [await elsewhere.run(plans[0] as never, audit), await elsewhere.run(plans[1] as never, audit)]
  let searches = 0
  const counted = (bulk: BulkStore<never>): Partial<BulkStore<never>> => ({
    takeRun(...given) {
      searches++
      return bulk.takeRun(...given)
    },
  })
  await start(withBulk(counted))
  await Promise.all(runs.map((run) => run.finished()))
  await expect.poll(() => searches, patiently).toBe(3)
})

it.each([
  ['the store does not limit a step', undefined, [10, 2]],
  ['the store limits a step to 5 events', 5, [5, 5, 2]],
])('a run changes as many events at once as it may if %s', async (_, largestStep, expected) => {
  await (await withDead(12)).stop()
  const changed: number[] = []
  const counted = (bulk: BulkStore<never>): Partial<BulkStore<never>> => ({
    // Given in both cases, because SQLite limits a step to 2 events.
    largestStep: largestStep as number,
    async step(...given) {
      const step = await bulk.step(...given)
      changed.push(12 - (step?.run?.remaining ?? 0) - changed.reduce((sum, count) => sum + count, 0))
      return step
    },
  })
  const receiver = await start(withBulk(counted))
  const options = { ...audit, canary: 0, perSecond: 1000 }
  const run = await receiver.run(await receiver.plan({ action: 'discard' }), options)
  expect(await run.finished()).toMatchObject({ state: 'done', applied: 12 })
  expect(changed).toEqual(expected)
})
