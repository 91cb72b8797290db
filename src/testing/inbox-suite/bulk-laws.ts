import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, bulkOf, deadEvents, step, takenRun } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { fail, finish, inboxOf, kept, nothing, type Words } from './stored-event.js'

/** Laws of the steps of a run, for an inbox that has plans. */
export const bulkLaws = <Tx>({ write, written }: Words<Tx>): Laws<Store<Tx>> => ({
  'a step changes each event once, with its audit and its job in one commit': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const events = await deadEvents(store, endpoint, 5)
      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const words = events.map(() => freshKey())
      const refused = new Error('refused')
      const options = { most: 3, leaseSeconds: 60, undoSeconds: 60 }
      let given = 0
      await assert.rejects(
        bulk.step(taken.run.id, taken.token, options, async (tx) => {
          if (given++ === 2) {
            throw refused
          }
          await write(tx, freshKey())
        }),
        refused,
      )
      for (const event of events) {
        assert.equal((await kept(store, event)).state, 'dead')
      }
      const list = async () => (await inboxOf(store).auditLog?.list({ endpoint, run: taken.run.id })) ?? []
      assert.deepEqual(
        (await list()).map(({ action }) => action),
        ['startRun'],
      )

      for (const [from, expected] of [
        [0, 3],
        [3, 2],
      ] as const) {
        let at = from
        const done = await bulk.step(taken.run.id, taken.token, options, async (tx) => {
          await write(tx, words[at++] as string)
        })
        assert.equal(done?.due.length, expected)
        assert.equal(done?.run.remaining, 5 - from - expected)
      }
      const committed = await written()
      assert.ok(words.every((word) => committed.includes(word)))
      for (const event of events) {
        const { state, generation, attempt, failures, lastError } = await kept(store, event)
        assert.deepEqual([state, generation, attempt, failures, lastError], ['accepted', 1, 0, 0, undefined])
      }
      const entries = (await list()).filter(({ action }) => action === 'replay')
      assert.deepEqual(entries.map(({ key }) => key).sort(), events.map(({ key }) => key).sort())
      assert.deepEqual([entries[0]?.reason, entries[0]?.actor], [audit.reason, audit.actor])
      const settled = { state: 'done', isPastCanary: true, leaseSeconds: 60 } as const
      assert.equal(await bulk.settleRun(taken.run.id, taken.token, settled), true)
      assert.equal((await bulk.readRun(taken.run.id))?.state, 'done')
      assert.equal((await step(bulk, taken)).step, undefined)
    },
  ),

  'what a run changed is listed and counted by what became of it': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const [done, dead, failed, accepted, gone] = await deadEvents(store, endpoint, 5)
      const events = [done, dead, failed, accepted, gone] as EventRef[]
      const taken = await takenRun(bulk, { endpoint, action: 'replay' })
      const { id } = taken.run
      const none = { accepted: 0, failed: 0, done: 0, dead: 0, givenUp: 0, gone: 0, changedSince: 0 }
      assert.deepEqual(await bulk.appliedStates(id), none)
      await step(bulk, taken, { most: 4 })
      await finish(store, done as EventRef)
      await inboxOf(store).markDead(dead?.key as string, 'given up')
      await fail(store, failed as EventRef)
      assert.deepEqual(await bulk.appliedStates(id), { ...none, accepted: 1, failed: 1, done: 1, dead: 1 })
      await step(bulk, taken)
      await inboxOf(store).markDead(gone?.key as string, 'given up')
      assert.equal(await inboxOf(store).discard(gone?.key as string, audit), true)
      const counts = { ...none, accepted: 1, failed: 1, done: 1, dead: 2, changedSince: 1 }
      assert.deepEqual(await bulk.appliedStates(id), counts)

      const all = await bulk.applied(id, { limit: 100, after: 0 })
      const states = ['done', 'dead', 'failed', 'accepted', 'dead']
      assert.deepEqual(
        all.map(({ key, eventId, state, isChangedSince }) => [key, eventId, state, isChangedSince]),
        events.map((event, i) => [event.key, event.id, states[i], event === gone]),
      )
      assert.deepEqual(await bulk.applied(id, { limit: 2, after: all[1]?.place as number }), all.slice(2, 4))
      assert.deepEqual(await bulk.applied(id, { limit: 100, after: 0, state: 'failed' }), [all[2]])
      assert.deepEqual(await bulk.applied(freshKey(), { limit: 100, after: 0 }), [])
    },
  ),

  'a later change by an operator leaves the outcome of a run': aboutBulk<Tx>(
    async ({ store, bulk, endpoint }) => {
      const events = await deadEvents(store, endpoint, 6)
      type Six = [EventRef, EventRef, EventRef, EventRef, EventRef, EventRef]
      const [done, dead, failed, waiting, gone, tried] = events as Six
      const first = await takenRun(bulk, { endpoint, action: 'replay' })
      const { id } = first.run
      await step(bulk, first)
      await finish(store, done)
      for (const { key } of [dead, gone]) {
        await inboxOf(store).markDead(key, 'dead again')
      }
      for (const { key } of [failed, tried]) {
        await inboxOf(store).postpone(key, 3600, 'failed again')
      }
      const before = await bulk.appliedStates(id)
      await inboxOf(store).requeue(tried.key, audit, nothing)
      for (const event of [done, dead]) {
        await inboxOf(store).requeue(event.key, audit, nothing)
        await finish(store, event)
        await inboxOf(store).requeue(event.key, audit, nothing)
      }
      await inboxOf(store).discard(gone.key, audit)
      const retry = await takenRun(bulk, { endpoint, action: 'retryNow', where: { state: 'failed' } })
      await step(bulk, retry)
      await step(bulk, await takenRun(bulk, { endpoint, action: 'giveUp', where: { state: 'accepted' } }))
      // It is due and has not run, so it still waits.
      await inboxOf(store).requeue(failed.key, audit, nothing)
      assert.equal((await bulk.appliedStates(retry.run.id)).accepted, 1)
      await finish(store, failed)
      const after = { ...before, accepted: 0, givenUp: 1, changedSince: 6 }
      assert.deepEqual(await bulk.appliedStates(id), after)
      const all = await bulk.applied(id, { limit: 100, after: 0 })
      assert.deepEqual(
        all.map(({ key, state, isChangedSince }) => [key, state, isChangedSince]),
        [
          [done.key, 'done', true],
          [dead.key, 'dead', true],
          [failed.key, 'failed', true],
          [waiting.key, 'givenUp', true],
          [gone.key, 'dead', true],
          [tried.key, 'failed', true],
        ],
      )
    },
  ),

  'a beat tells every process of its endpoint that a run is open, until it has ended': needs(
    'flow',
    needs('bulk', async ({ make }) => {
      const [here, there] = [await make(), await make()]
      const [bulk, flow] = [bulkOf(here), capabilityOf(there, 'flow')]
      const [endpoint, elsewhere] = [freshKey(), freshKey()]
      const limited = { types: [], resources: [] }
      const tells = async (of: string) =>
        (await flow.beat({ endpoint: of, id: freshKey(), process: 'host:1', version: '1.0.0', limited }))
          .hasOpenRun
      await deadEvents(here, endpoint, 1)
      assert.equal(await tells(endpoint), false)
      const { run, token } = await takenRun(bulk, { endpoint, action: 'replay' })
      assert.equal(await tells(endpoint), true)
      assert.equal(await tells(elsewhere), false)
      await flow.pause({ endpoint, type: 'a' }, audit)
      await flow.pause({ endpoint, type: 'b' }, audit)
      assert.equal(await tells(endpoint), true, 'while something is paused')
      await bulk.changeRun(run.id, 'paused', audit)
      assert.equal(await tells(endpoint), false)
      await bulk.changeRun(run.id, 'running', audit)
      assert.equal(await tells(endpoint), true)
      await bulk.settleRun(run.id, token, { state: 'done', isPastCanary: true, leaseSeconds: 60 })
      assert.equal(await tells(endpoint), true, 'its token is old')
      const last = freshKey()
      await bulk.takeRun(endpoint, last, 60)
      await bulk.settleRun(run.id, last, { state: 'done', isPastCanary: true, leaseSeconds: 60 })
      assert.equal(await tells(endpoint), false)
    }),
  ),

  'one process holds a run, until its lease has ended': needs('bulk', async ({ make }) => {
    const [here, there] = [await make(), await make()]
    const [bulk, other] = [bulkOf(here), bulkOf(there)]
    const endpoint = freshKey()
    await deadEvents(here, endpoint, 2)
    const { run, token } = await takenRun(bulk, { endpoint, action: 'replay' })
    assert.equal(await other.takeRun(endpoint, freshKey(), 60), undefined)
    assert.equal(await other.takeRun(freshKey(), freshKey(), 60), undefined)
    assert.equal((await step(other, { run, token: freshKey() })).step, undefined)
    const brief = { most: 1, leaseSeconds: 0.001, undoSeconds: 60 }
    assert.equal((await other.readRun(run.id))?.isHeld, true)
    assert.equal((await bulk.step(run.id, token, brief, nothing))?.run.applied, 1)
    await pause(0.05)
    assert.equal((await other.readRun(run.id))?.isHeld, false, 'its lease has ended')
    assert.equal(await other.takeRun(freshKey(), freshKey(), 60), undefined, 'of another endpoint')
    const next = freshKey()
    assert.equal((await other.takeRun(endpoint, next, 60))?.remaining, 1)
    assert.equal((await step(bulk, { run, token })).step, undefined, 'its token is old')
    const over = { state: 'done', isPastCanary: true, leaseSeconds: 60 } as const
    assert.equal(await bulk.settleRun(run.id, token, over), false, 'its token is old')
    assert.equal((await step(other, { run, token: next })).step?.run.applied, 2)
    assert.equal((await bulk.readRun(run.id))?.isHeld, true)
    assert.equal(await other.settleRun(run.id, next, over), true)
    assert.equal((await bulk.readRun(run.id))?.isHeld, false, 'it has ended')
  }),
})
