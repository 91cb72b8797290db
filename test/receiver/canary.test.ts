import { describe, expect, it } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { audit, file, openBulkRig, ran, receiverOf, start, withDead } from './bulk-rig.js'
import { delivery, settled } from './deliver.js'

openBulkRig()

describe('a canary', () => {
  it('is no larger when the reply to a step is lost', async () => {
    await (await withDead(8)).stop()
    const store = sqliteStore(file())
    const bulk = store.inbox?.bulk as unknown as BulkStore
    let lost = 0
    const losing: BulkStore = {
      ...bulk,
      async step(...step) {
        const done = await bulk.step(...step)
        if (lost++ === 0) {
          throw new StoreError('the reply was lost')
        }
        return done
      },
    }
    const receiver = await start(
      receiverOf({
        store: { ...store, inbox: { ...store.inbox, bulk: losing } },
        // It does not know of the events of the step, so it must search.
        queue: localQueue({ pollSeconds: 0.1, retry: { attempts: 1 } }),
      }),
    )
    ran.length = 0
    const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 2 })
    expect(await run.finished()).toMatchObject({ state: 'stopped', applied: 2, remaining: 6 })
    expect(new Set(ran).size).toBe(2)
  })

  it('lets giveUp and discard continue, because they run no events', async () => {
    const receiver = receiverOf()
    for (const id of ['evt_1', 'evt_2', 'evt_3']) {
      await receiver.receive(await delivery({ ...settled, id }))
    }
    const runOf = async (action: 'giveUp' | 'discard') => {
      const run = await receiver.run(await receiver.plan({ action }), { ...audit, canary: 1 })
      const { state, applied, note } = await run.finished()
      return { state, applied, note }
    }
    await start(receiver, { consume: false })
    expect(await runOf('giveUp')).toEqual({ state: 'done', applied: 3, note: undefined })
    expect(await runOf('discard')).toEqual({ state: 'done', applied: 3, note: undefined })
  })
})
