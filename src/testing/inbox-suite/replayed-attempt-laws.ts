import assert from 'node:assert/strict'
import { mostAttempts } from '../../store/failed-attempt.js'
import type { Store } from '../../store/store.js'
import type { Laws } from '../laws.js'
import { attemptsOf, tryOnce } from './attempts.js'
import { audit, bulkOf, step, takenRun } from './bulk-bench.js'
import { needs } from './capabilities.js'
import { accepted, fail, finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

/** Laws of what an operator changes, and what that leaves of the history of an event. */
export const replayedAttemptLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'a replay keeps the attempts of the generations before'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await tryOnce(here, event, 'before the replay')
    await inboxOf(there).requeue(event.key, audit, nothing)
    await tryOnce(there, event, 'after the replay')
    await finish(here, event)
    await inboxOf(here).requeue(event.key, audit, nothing)
    await fail(here, event, new Error('after both'))
    assert.deepEqual(await attemptsOf(there, event), [
      [0, 1, 'before the replay'],
      [1, 1, 'after the replay'],
      [1, 2, 'done'],
      [2, 1, 'Error: after both'],
    ])
  },

  async 'a replay keeps when the event was done before, and the first time stays'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await finish(store, event)
    const { doneAt, attempts } = await kept(store, event)
    assert.equal(attempts, undefined)
    await inboxOf(store).requeue(event.key, audit, nothing)
    const replayed = await kept(store, event)
    assert.deepEqual(replayed.attempts, [{ generation: 0, attempt: 1, at: doneAt, isDone: true }])
    assert.equal(replayed.doneAt, undefined)
    await finish(store, event)
    const { doneAt: doneAgainAt } = await kept(store, event)
    await inboxOf(store).requeue(event.key, audit, nothing)
    const times = (await kept(store, event)).attempts?.map(({ generation, at }) => [generation, at])
    assert.deepEqual(times, [
      [0, doneAt],
      [1, doneAgainAt],
    ])
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      await tryOnce(store, event, `failure ${attempt}`)
    }
    const all = await attemptsOf(store, event)
    assert.deepEqual(all.slice(0, 2), [
      [0, 1, 'done'],
      [2, 2, 'failure 2'],
    ])
    assert.equal(all.length, mostAttempts)
  },

  'a run that replays done events keeps when they were done': needs('bulk', async ({ make }) => {
    const store = await make()
    const event = await accepted(store)
    await finish(store, event)
    const { doneAt } = await kept(store, event)
    const plan = { endpoint: event.endpoint, action: 'replay', where: { state: 'done' } } as const
    await step(bulkOf(store), await takenRun(bulkOf(store), plan))
    const { attempts } = await kept(store, event)
    assert.deepEqual(attempts, [{ generation: 0, attempt: 1, at: doneAt, isDone: true }])
  }),

  'a run that gives an event up leaves its attempts, and a replay of a run does too': needs(
    'bulk',
    async ({ make }) => {
      const store = await make()
      const bulk = bulkOf(store)
      const event = await accepted(store)
      await tryOnce(store, event, 'the ledger is closed')
      const { endpoint } = event
      for (const action of ['giveUp', 'replay'] as const) {
        await step(bulk, await takenRun(bulk, { endpoint, action }))
        assert.deepEqual(await attemptsOf(store, event), [[0, 1, 'the ledger is closed']])
      }
      assert.equal((await kept(store, event)).state, 'accepted')
    },
  ),

  async 'a discard takes the attempts along, and undo brings them back'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await inboxOf(store).markDead(event.key, 'given up')
    const discard = () => inboxOf(store).discard(event.key, audit, 60)
    await discard()
    const { bulk } = inboxOf(store)
    if (bulk) {
      await bulk.undo({ endpoint: event.endpoint, key: event.key }, audit, 1)
      assert.deepEqual(await attemptsOf(store, event), [[0, 0, 'given up']])
      await discard()
    }
    await inboxOf(store).accept(event, nothing)
    assert.deepEqual(await attemptsOf(store, event), [])
  },

  'a copy of an event begins without attempts': needs('bulk', async ({ make }) => {
    const store = await make()
    const event = await accepted(store)
    await tryOnce(store, event, 'the amount is wrong')
    const copy = newEvent({ endpoint: event.endpoint })
    await bulkOf(store).acceptFrom(copy, { parent: event.id, parentKey: event.key }, audit, nothing)
    assert.equal((await inboxOf(store).read(copy.key))?.attempts, undefined)
  }),
})
