import assert from 'node:assert/strict'
import type { Run } from '../../store/bulk-run.js'
import type { Discarded } from '../../store/discarded.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, deadEvents, step, takenRun } from './bulk-bench.js'
import { anyBytes, inboxOf } from './stored-event.js'

/** Laws of an undo by a caller who saw what was discarded. */
export const undoSeenLaws = <Tx>(): Laws<Store<Tx>> => ({
  'an undo takes back only the discard that its caller saw': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [event] = await deadEvents(store, endpoint, 1)
      assert.ok(event)
      const bodyHash = freshKey()
      await inboxOf(store).quarantine({ endpoint, code: 'invalid_json', bodyHash, body: anyBytes })
      const { key: delivery } = (await inboxOf(store).quarantined({ endpoint }))[0] ?? { key: '' }
      for (const key of [event.key, delivery]) {
        const only = async () => (await bulk.discarded({ endpoint, key }, 10))[0] as Discarded
        const undo = (seen: Discarded) => bulk.undo({ endpoint, key, seen }, audit, 10)
        await inboxOf(store).discard(key, audit, 60)
        const seen = await only()
        assert.deepEqual(await undo(seen), { found: 1, undone: 1 })
        assert.deepEqual(await undo(seen), { found: 0, undone: 0 }, 'nothing is discarded')
        // Two discards at the same millisecond cannot be told apart.
        await pause(0.005)
        await inboxOf(store).discard(key, { reason: 'another one', actor: 'other' }, 60)
        const now = await only()
        await assert.rejects(undo(seen), { name: 'ConflictError', code: 'discard_changed' })
        assert.deepEqual(await only(), now)
        const [last] = (await inboxOf(store).auditLog?.list({ endpoint, key, limit: 1 })) ?? []
        assert.equal(last?.action, 'discard', 'a rejected call has no audit')
        assert.deepEqual(await undo(now), { found: 1, undone: 1 })
      }
    },
  ),

  'an undo of a run takes back nothing that it discarded after its caller looked': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      await deadEvents(store, endpoint, 3)
      const taken = await takenRun(bulk, { endpoint, action: 'discard' })
      const { id } = taken.run
      const seenNow = async () => (await bulk.readRun(id)) as Run
      const undo = (seen: Run) => bulk.undo({ endpoint, run: id, seen }, audit, 10)
      await step(bulk, taken, { most: 1 })
      const begun = await seenNow()
      assert.deepEqual(await undo(begun), { found: 1, undone: 1 })
      await bulk.changeRun(id, 'paused', audit)
      await bulk.changeRun(id, 'running', audit)
      const token = freshKey()
      const run = (await bulk.takeRun(endpoint, token, 60)) as Run
      await step(bulk, { run, token })
      await assert.rejects(undo(begun), { name: 'ConflictError', code: 'run_changed' })
      assert.equal((await seenNow()).restored, 1)
      assert.deepEqual(await undo(await seenNow()), { found: 2, undone: 2 })
      assert.deepEqual(await undo(begun), { found: 0, undone: 0 }, 'nothing is discarded')
    },
  ),
})
