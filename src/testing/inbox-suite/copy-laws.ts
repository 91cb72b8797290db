import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { type Laws, pause } from '../laws.js'
import { aboutBulk, audit, bulkOf, deadEvents, step, takenRun } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, fail, finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

/** Accepts an edited copy of an event. */
async function copyOf(store: Store<unknown>, { id, key, endpoint }: EventRef): Promise<EventRef> {
  const copy = newEvent({ endpoint })
  const outcome = await bulkOf(store).acceptFrom(copy, { parent: id, parentKey: key }, audit, nothing)
  assert.equal(outcome, 'accepted')
  return copy
}

const giveUp = (store: Store<unknown>, { key }: EventRef) => inboxOf(store).markDead(key, 'given up')

/** Laws of edited copies, for an inbox that has plans. */
export const copyLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a run skips an event of which another version is done or is to run, and no other': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [done, waiting, failed, edited, plain] = (await deadEvents(store, endpoint, 5)) as [
        EventRef,
        EventRef,
        EventRef,
        EventRef,
        EventRef,
      ]
      await finish(store, await copyOf(store, done))
      await copyOf(store, waiting)
      await fail(store, await copyOf(store, failed))
      // A copy of a copy is done.
      const copy = await copyOf(store, edited)
      await giveUp(store, copy)
      await finish(store, await copyOf(store, copy))

      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const { step: made } = await step(bulk, taken)
      assert.deepEqual(made?.run.skipped, { has_other_version: 5 })
      const states = [done, waiting, failed, edited, copy, plain].map(
        async (event) => (await kept(store, event)).state,
      )
      assert.deepEqual(await Promise.all(states), ['dead', 'dead', 'dead', 'dead', 'dead', 'accepted'])
    },
  ),

  'of several dead versions of an event a run replays one': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const original = await accepted(store, { endpoint })
      await giveUp(store, original)
      const copies = [await copyOf(store, original), await copyOf(store, original)]
      for (const copy of copies) {
        await giveUp(store, copy)
      }
      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const { step: made } = await step(bulk, taken, { most: 2 })
      assert.deepEqual([made?.run.skipped, made?.due.length], [{ has_other_version: 1 }, 1])
      const { step: rest } = await step(bulk, taken)
      assert.deepEqual([rest?.run.applied, rest?.run.skipped], [1, { has_other_version: 2 }])
    },
  ),

  'a run that does not replay takes every version of an event': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [original] = (await deadEvents(store, endpoint, 1)) as [EventRef]
      await giveUp(store, await copyOf(store, original))
      await finish(store, await copyOf(store, original))
      const taken = await takenRun(bulk, { endpoint, action: 'discard' })
      const { step: made } = await step(bulk, taken)
      assert.deepEqual([made?.run.applied, made?.run.skipped], [2, {}])
    },
  ),

  'an event with the same id at another endpoint is no other version': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [original] = (await deadEvents(store, endpoint, 1)) as [EventRef]
      const copy = await copyOf(store, original)
      await giveUp(store, copy)
      await finish(store, await copyOf(store, await accepted(store, { id: original.id })))
      const taken = await takenRun(bulk, { endpoint, action: 'replay', where: { key: copy.key } })
      const { step: made } = await step(bulk, taken)
      assert.deepEqual([made?.run.applied, made?.run.skipped], [1, {}])
    },
  ),

  'of two versions of an event, two runs at the same moment replay one': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const original = await accepted(store, { endpoint })
      await giveUp(store, original)
      const copy = await copyOf(store, original)
      await giveUp(store, copy)
      const planned = async ({ key }: EventRef) =>
        takenRun(bulk, { endpoint, action: 'replay', where: { key } })
      const [first, second] = [await planned(original), await planned(copy)]

      let other: ReturnType<typeof step> | undefined
      const options = { most: 100, undoSeconds: 60, leaseSeconds: 60, skipFirst: undefined }
      const made = await bulk.step(first.run.id, first.token, options, async () => {
        // The transaction of the first run is open. The second run waits for it, or ends first.
        other ??= step(bulk, second)
        await Promise.race([other, pause(0.2)])
      })
      const { step: otherMade } = (await other) as Awaited<ReturnType<typeof step>>
      assert.deepEqual(Number(made?.due.length) + Number(otherMade?.due.length), 1)
      const states = [(await kept(store, original)).state, (await kept(store, copy)).state]
      assert.deepEqual(states.sort(), ['accepted', 'dead'])
    },
  ),

  'an event that changed since the operator saw it is not edited': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const original = await accepted(store, { endpoint })
      await giveUp(store, original)
      const from = (generation: number) => ({
        parent: original.id,
        parentKey: original.key,
        seen: { state: 'dead' as const, generation },
      })
      const { generation } = await kept(store, original)
      await inboxOf(store).requeue(original.key, audit, nothing)
      await giveUp(store, original)
      const copy = newEvent({ endpoint })
      const late = bulk.acceptFrom(copy, from(generation), audit, nothing)
      await assert.rejects(late, { code: 'event_changed' })
      assert.equal(await inboxOf(store).read(copy.key), undefined)
      assert.equal(await bulk.acceptFrom(copy, from(generation + 1), audit, nothing), 'accepted')
      const unknown = { ...from(0), parentKey: newEvent().key }
      const gone = bulk.acceptFrom(newEvent({ endpoint }), unknown, audit, nothing)
      await assert.rejects(gone, { code: 'event_changed' })
    },
  ),

  'an event with a newer copy than the operator saw is not edited': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const original = await accepted(store, { endpoint })
      const edit = async (copies: readonly string[], { id, key } = original) => {
        const copy = newEvent({ endpoint })
        const from = { parent: id, parentKey: key, copies }
        assert.equal(await bulk.acceptFrom(copy, from, audit, nothing), 'accepted')
        return copy
      }
      const isRejected = { code: 'event_changed' }
      const atOnce = await Promise.allSettled([edit([]), edit([]), edit([])])
      const [made, ...more] = atOnce.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      assert.ok(made && more.length === 0, `${more.length + 1} of three edits at the same time made a copy`)
      assert.equal((await inboxOf(store).list({ endpoint, root: original.id })).length, 2)
      await assert.rejects(edit([]), isRejected)

      const second = await edit([made.id])
      await assert.rejects(edit([made.id]), isRejected)
      // A copy of a copy is none of the original.
      await edit([], second)
      await edit([second.id])
      await assert.rejects(edit([], newEvent({ endpoint })), isRejected)
    },
  ),

  'an event with a newer copy than the operator saw does not run again': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const original = await accepted(store, { endpoint })
      await giveUp(store, original)
      const seen = await kept(store, original)
      const isRejected = { code: 'event_changed' }
      const replay = (copies?: readonly string[]) =>
        inboxOf(store).requeue(original.key, audit, nothing, seen, copies)
      const first = await copyOf(store, original)
      await assert.rejects(replay([]), isRejected)
      const second = await copyOf(store, original)
      await assert.rejects(replay([first.id]), isRejected)
      // A copy of a copy is none of the original, nor is one of an event with the same id at another endpoint.
      await copyOf(store, second)
      await copyOf(store, await accepted(store, { id: original.id }))
      const now = await kept(store, original)
      assert.deepEqual([now.state, now.generation], ['dead', seen.generation])
      const audits = await inboxOf(store).auditLog?.list({ endpoint, key: original.key })
      assert.deepEqual(audits ?? [], [], 'a change that was rejected has no audit')
      assert.equal(await replay([second.id, first.id]), 1)

      const edited = await accepted(store, { endpoint })
      await giveUp(store, edited)
      const from = { parent: edited.id, parentKey: edited.key, seen: await kept(store, edited), copies: [] }
      const atOnce = await Promise.allSettled([
        bulk.acceptFrom(newEvent({ endpoint }), from, audit, nothing),
        inboxOf(store).requeue(edited.key, audit, nothing, from.seen, []),
      ])
      const changes = atOnce.filter(({ status }) => status === 'fulfilled')
      assert.equal(changes.length, 1, 'of an edit and a replay at the same time one is made')
      // A caller without `copies` has not asked for the check.
      await copyOf(store, edited)
      assert.ok(await inboxOf(store).requeue(edited.key, audit, nothing))
    },
  ),

  'a copy whose id is known changes nothing': aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
    const original = await accepted(store, { endpoint })
    const known = await accepted(store, { endpoint })
    const from = { parent: original.id, parentKey: original.key }
    assert.equal(await bulk.acceptFrom(known, from, audit, nothing), 'duplicate')
    assert.equal((await kept(store, original)).root, undefined)
    assert.equal((await kept(store, known)).parent, undefined)
  }),

  'the versions of an event are listed, those of another one are not': aboutBulk<Tx>(
    async ({ store, endpoint }) => {
      const original = await accepted(store, { endpoint })
      await accepted(store, { endpoint })
      const copy = await copyOf(store, original)
      const second = await copyOf(store, copy)
      await copyOf(store, await accepted(store, { endpoint }))
      const found = await inboxOf(store).list({ endpoint, root: original.id })
      assert.deepEqual(
        found.map(({ key, parent }) => [key, parent]),
        [
          [original.key, undefined],
          [copy.key, original.id],
          [second.key, copy.id],
        ],
      )
      assert.ok(found.every(({ root }) => root === original.id))
    },
  ),

  'an edited copy is no arrival of its sender': needs(
    'statistics',
    aboutBulk<Tx>(async ({ store, endpoint }) => {
      const statistics = capabilityOf(store, 'statistics')
      const about = { endpoint, since: new Date(Date.now() - 60_000), buckets: 1 }
      const gone = newEvent({ endpoint })
      await copyOf(store, gone)
      await finish(store, await copyOf(store, gone))
      assert.equal((await statistics.read(about)).lastReceivedAt, undefined)
      assert.deepEqual((await statistics.sources(endpoint)).sources, [])
    }),
  ),
})
