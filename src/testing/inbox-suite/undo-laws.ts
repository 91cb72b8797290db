import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, bulkOf, deadEvents, step, takenRun } from './bulk-bench.js'
import { needs } from './capabilities.js'
import { accepted, anyBytes, finish, inboxOf, kept, newEvent, nothing, type Words } from './stored-event.js'

/** Laws of undo, for an inbox with bulk operations. */
export const undoLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  'a discarded event is restored exactly as it was': needs('bulk', async ({ make }) => {
    const [here, there] = [await make(), await make()]
    const bulk = bulkOf(there)
    const endpoint = freshKey()
    const [event, other] = await deadEvents(here, endpoint, 2)
    assert.ok(event && other)
    const [before, list] = [await kept(here, event), await inboxOf(here).list({ endpoint })]
    assert.equal(await inboxOf(here).discard(event.key, audit, 60), true)
    assert.equal(await inboxOf(here).read(event.key), undefined)
    assert.deepEqual(
      (await inboxOf(here).list({ endpoint })).map(({ key }) => key),
      [other.key],
    )
    const visible = await inboxOf(here).list({ allEndpoints: true, limit: 100_000 })
    assert.ok(visible.every(({ id }) => id !== event.id))
    const wrong = { endpoint: freshKey(), key: event.key }
    assert.deepEqual(await bulk.undo(wrong, audit, 10), { found: 0, undone: 0 })
    assert.deepEqual(await bulk.undo({ endpoint, key: event.key }, audit, 10), { found: 1, undone: 1 })
    assert.deepEqual(await kept(here, event), before)
    assert.deepEqual(await inboxOf(here).list({ endpoint }), list)
    assert.deepEqual(await bulk.undo({ endpoint, key: event.key }, audit, 10), { found: 0, undone: 0 })
    const entries = (await inboxOf(here).auditLog?.list({ endpoint, key: event.key })) ?? []
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['undo', 'discard'],
    )
    assert.equal(await inboxOf(here).requeue(event.key, audit, nothing), 1)
    await finish(here, event)
  }),

  'an event that was delivered again is not restored': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const [event] = await deadEvents(store, endpoint, 1)
    assert.ok(event)
    await inboxOf(store).discard(event.key, audit, 60)
    assert.deepEqual(await inboxOf(store).accept(event, nothing), { state: 'accepted' })
    await finish(store, event)
    const undo = () => bulk.undo({ endpoint, key: event.key }, audit, 10)
    assert.deepEqual(await undo(), { found: 1, undone: 0 })
    assert.equal((await kept(store, event)).state, 'done')
    assert.deepEqual(await undo(), { found: 0, undone: 0 })
  }),

  'what undo would find is listed, until its window ends': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [replaced, ended] = await deadEvents(store, endpoint, 2)
      assert.ok(replaced && ended)
      const event = await accepted(store, { endpoint, resource: 'account 1' })
      await inboxOf(store).markDead(event.key, 'given up')
      const bodyHash = freshKey()
      await inboxOf(store).quarantine({ endpoint, code: 'invalid_json', bodyHash, body: anyBytes })
      const { key: delivery } = (await inboxOf(store).quarantined({ endpoint }))[0] ?? { key: '' }
      for (const key of [event.key, replaced.key, delivery]) {
        assert.equal(await inboxOf(store).discard(key, audit, 60), true)
      }
      await inboxOf(store).discard(ended.key, audit, 0.001)
      await inboxOf(store).accept(replaced, nothing)
      await pause(0.05)
      const found = async (key: string) =>
        (await bulk.discarded({ endpoint, key }, 10)).map(({ undoUntil, ...each }) => {
          assert.ok(Date.parse(undoUntil) > Date.now() && Date.parse(undoUntil) < Date.now() + 120_000)
          return each
        })
      const { key, id: eventId, type } = event
      const about = { kind: 'event', key, eventId, type, lastError: 'given up' }
      assert.deepEqual(await found(key), [{ ...about, resource: 'account 1', isReplaced: false }])
      const taken = { ...about, key: replaced.key, eventId: replaced.id, isReplaced: true }
      assert.deepEqual(await found(replaced.key), [taken])
      assert.deepEqual(await found(delivery), [{ kind: 'delivery', key: delivery, isReplaced: false }])
      assert.deepEqual(await found(ended.key), [])
      assert.deepEqual(await bulk.discarded({ endpoint: freshKey(), key: event.key }, 10), [])
      assert.deepEqual(await bulk.discarded({ endpoint, key: event.key }, 0), [])
      await inboxOf(store).quarantine({ endpoint, code: 'invalid_json', bodyHash, body: anyBytes })
      assert.equal((await found(delivery))[0]?.isReplaced, true)
      assert.deepEqual(await bulk.undo({ endpoint, key: event.key }, audit, 10), { found: 1, undone: 1 })
      assert.deepEqual(await found(event.key), [])
    },
  ),

  'of two discards of one event the last can be undone': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const [event] = await deadEvents(store, endpoint, 1)
    assert.ok(event)
    await inboxOf(store).discard(event.key, audit, 60)
    const again = { ...event, body: anyBytes.slice(0, 3) }
    await inboxOf(store).accept(again, nothing)
    await inboxOf(store).markDead(event.key, 'given up')
    await inboxOf(store).discard(event.key, audit, 60)
    assert.deepEqual(await bulk.undo({ endpoint, key: event.key }, audit, 10), { found: 1, undone: 1 })
    assert.deepEqual(Uint8Array.from((await kept(store, event)).body), again.body)
  }),

  'the window ends, and then prune deletes what was discarded': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [late, early, never] = await deadEvents(store, endpoint, 3)
      assert.ok(late && early && never)
      await inboxOf(store).discard(late.key, audit, 0.001)
      await inboxOf(store).discard(early.key, audit, 60)
      await inboxOf(store).discard(never.key, audit)
      await pause(0.05)
      for (const { key } of [late, never]) {
        assert.deepEqual(await bulk.undo({ endpoint, key }, audit, 10), { found: 0, undone: 0 })
      }
      assert.ok((await bulk.pruneDiscarded(100)) >= 1)
      while ((await bulk.pruneDiscarded(100)) > 0) {}
      assert.deepEqual(await bulk.undo({ endpoint, key: early.key }, audit, 10), { found: 1, undone: 1 })
    },
  ),

  'a discarded delivery is restored exactly as it was, maybe at another place of the list': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const delivery = { endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes } as const
      await inboxOf(store).quarantine(delivery)
      await inboxOf(store).quarantine(delivery)
      const listed = async () =>
        (await inboxOf(store).quarantined({ endpoint })).map(({ place: _, ...rest }) => rest)
      const before = await listed()
      const { key } = before[0] ?? { key: '' }
      assert.equal(await inboxOf(store).discard(key, audit, 60), true)
      assert.deepEqual(await listed(), [])
      assert.deepEqual(await bulk.undo({ endpoint, key }, audit, 10), { found: 1, undone: 1 })
      assert.deepEqual(await listed(), before)
    },
  ),

  'everything that a run discarded is restored': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const events = await deadEvents(store, endpoint, 5)
    const taken = await takenRun(bulk, { endpoint, action: 'discard' })
    assert.equal((await step(bulk, taken)).step?.run.applied, 5)
    assert.deepEqual(await inboxOf(store).list({ endpoint }), [])
    const hidden = await bulk.discarded({ endpoint, run: taken.run.id }, 10)
    assert.deepEqual(hidden.map(({ key }) => key).toSorted(), events.map(({ key }) => key).toSorted())
    const undo = () => bulk.undo({ endpoint, run: taken.run.id }, audit, 3)
    assert.deepEqual(await undo(), { found: 3, undone: 3 })
    assert.equal((await bulk.readRun(taken.run.id))?.restored, 3)
    assert.deepEqual(await undo(), { found: 2, undone: 2 })
    assert.equal((await bulk.readRun(taken.run.id))?.restored, 5)
    assert.deepEqual(
      (await inboxOf(store).list({ endpoint })).map(({ key }) => key),
      events.map(({ key }) => key),
    )
  }),

  'who changed or undid a run is listed': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    await deadEvents(store, endpoint, 3)
    const taken = await takenRun(bulk, { endpoint, action: 'discard' })
    const { id } = taken.run
    await step(bulk, taken)
    await bulk.changeRun(id, 'paused', audit)
    await bulk.changeRun(id, 'running', audit)
    await bulk.changeRun(id, 'paused', audit)
    const other = { ...audit, actor: 'another one' }
    for (const who of [audit, audit, other]) {
      await bulk.undo({ endpoint, run: id }, who, 1)
    }
    await bulk.changeRun(id, 'cancelled', audit)
    assert.deepEqual(
      (await bulk.runActs(id)).map(({ at, ...act }) => [act, Date.parse(at) > 0]),
      [
        [{ action: 'cancelRun', ...audit }, true],
        [{ action: 'undo', ...other }, true],
        [{ action: 'undo', ...audit }, true],
        [{ action: 'pauseRun', ...audit }, true],
        [{ action: 'resumeRun', ...audit }, true],
        [{ action: 'pauseRun', ...audit }, true],
      ],
    )
  }),

  'a copy is accepted with its parent, once, and behind the events of its resource': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const about = { endpoint, resource: 'tr_1' }
      const first = await accepted(store, about)
      const copy = newEvent(about)
      const refused = new Error('refused')
      await assert.rejects(
        bulk.acceptFrom(copy, { parent: 'evt_1', parentKey: first.key }, audit, () =>
          Promise.reject(refused),
        ),
        refused,
      )
      assert.equal(await inboxOf(store).read(copy.key), undefined)
      const word = freshKey()
      const enqueue = async (tx: Tx) => void (await write(tx, word))
      assert.equal(
        await bulk.acceptFrom(copy, { parent: 'evt_1', parentKey: first.key }, audit, enqueue),
        'accepted',
      )
      assert.ok((await written()).includes(word))
      assert.equal(
        await bulk.acceptFrom(copy, { parent: 'evt_2', parentKey: first.key }, audit, nothing),
        'duplicate',
      )
      const { parent, state, resource } = await kept(store, copy)
      assert.deepEqual([parent, state, resource], ['evt_1', 'accepted', 'tr_1'])
      assert.equal((await inboxOf(store).nextForResource(copy.key))?.key, first.key)
      assert.equal((await store.once(copy, nothing)).state, 'busy')
      await finish(store, first)
      await finish(store, copy)
      const entries = (await inboxOf(store).auditLog?.list({ endpoint })) ?? []
      assert.deepEqual(
        entries.map(({ action, subject, eventId }) => [action, subject, eventId]),
        [['replayEdited', 'evt_1', copy.id]],
      )
    },
  ),
})
