import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { aboutBulk, audit, deadEvents, step, takenRun } from './bulk-bench.js'
import { finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

/** Laws of edited copies, for an inbox that has plans. */
export const copyLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a run skips an event whose edited copy is done or is to run, and no other': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [done, waiting, dead, plain] = await deadEvents(store, endpoint, 4)
      const copyOf = async (parent: string, ofEndpoint = endpoint) => {
        const copy = newEvent({ endpoint: ofEndpoint })
        assert.equal(await bulk.acceptFrom(copy, { parent }, audit, nothing), 'accepted')
        return copy
      }
      await finish(store, await copyOf(done?.id as string))
      await copyOf(waiting?.id as string)
      await inboxOf(store).markDead((await copyOf(dead?.id as string)).key, 'given up')
      await copyOf(plain?.id as string, freshKey())

      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const { step: made } = await step(bulk, taken)
      assert.deepEqual(made?.run.skipped, { has_edited_copy: 2 })
      const states = [done, waiting, dead, plain].map(
        async (event) => event && (await kept(store, event)).state,
      )
      assert.deepEqual(await Promise.all(states), ['dead', 'dead', 'accepted', 'accepted'])
    },
  ),

  'the edited copies of an event are listed, those of another endpoint are not': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const parent = freshKey()
      const [first, second] = [newEvent({ endpoint }), newEvent({ endpoint })]
      for (const copy of [first, second, newEvent({ endpoint: freshKey() })]) {
        await bulk.acceptFrom(copy, { parent }, audit, nothing)
      }
      await bulk.acceptFrom(newEvent({ endpoint }), { parent: freshKey() }, audit, nothing)
      await finish(store, first)
      const found = await inboxOf(store).list({ endpoint, parent, order: 'newest' })
      assert.deepEqual(
        found.map((copy) => [copy.key, copy.parent]),
        [second, first].map(({ key }) => [key, parent]),
      )
    },
  ),

  'an edited copy is no arrival of its sender': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const { statistics } = inboxOf(store)
    if (!statistics) {
      return
    }
    const about = { endpoint, since: new Date(Date.now() - 60_000), buckets: 1 }
    const [waiting, done] = [newEvent({ endpoint }), newEvent({ endpoint })]
    for (const copy of [waiting, done]) {
      await bulk.acceptFrom(copy, { parent: 'evt_1' }, audit, nothing)
    }
    await finish(store, done)
    assert.equal((await statistics.read(about)).lastReceivedAt, undefined)
    assert.deepEqual((await statistics.sources(endpoint)).sources, [])
  }),
})
