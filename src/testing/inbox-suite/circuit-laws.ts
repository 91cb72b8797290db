import assert from 'node:assert/strict'
import { mostCircuits } from '../../store/flow-store.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { allNeed } from './capabilities.js'
import { flowOf, until } from './flow-bench.js'
import { accepted, dueAmong, inboxOf } from './stored-event.js'

/** Laws of circuits and workers. */
export const circuitLaws = <Tx>(): Laws<Store<Tx>> =>
  allNeed<Store<Tx>>('flow', {
    async 'a circuit opens after failures in a row with one fingerprint, and holds its type back'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const rule = { failures: 3, retryAfterSeconds: 60 }
      const event = await accepted(here, { endpoint, type: 'a' })
      const other = await accepted(here, { endpoint, type: 'b' })
      const count = async (fingerprint: string) => {
        await flowOf(here).countFailure(endpoint, 'a', fingerprint, rule)
        const [circuit] = (await flowOf(there).holds(endpoint)).circuits
        assert.ok(circuit)
        return [circuit.failures, circuit.retryAt !== undefined, circuit.isHolding]
      }
      assert.deepEqual(await count('x'), [1, false, false])
      assert.deepEqual(await count('x'), [2, false, false])
      assert.deepEqual(await count('y'), [1, false, false])
      assert.deepEqual(await count('y'), [2, false, false])
      assert.deepEqual(await dueAmong(there, [event, other]), [event.key, other.key])
      assert.deepEqual(await count('y'), [3, true, true])
      assert.deepEqual(await dueAmong(there, [event, other]), [other.key])
      assert.equal(await flowOf(there).startTrial(endpoint, 'a', 60), false)
      assert.equal(await flowOf(there).closeCircuit(endpoint, 'a'), true)
      assert.equal(await flowOf(there).closeCircuit(endpoint, 'a'), false)
      assert.deepEqual((await flowOf(here).holds(endpoint)).circuits, [])
      assert.deepEqual(await dueAmong(there, [event, other]), [event.key, other.key])
    },

    async 'an open circuit allows one trial at a time, and a failed trial opens it again'({
      make,
      shortLeaseSeconds,
    }) {
      const stores = [await make(), await make()]
      const [here, there] = stores as [Store<Tx>, Store<Tx>]
      const endpoint = freshKey()
      const event = await accepted(here, { endpoint, type: 'a' })
      await flowOf(here).countFailure(endpoint, 'a', 'x', { failures: 1, retryAfterSeconds: 0 })
      await until(async () => (await dueAmong(there, [event])).length === 1)
      const trials = await Promise.all(
        Array.from({ length: 6 }, (_, i) => flowOf(stores[i % 2] as Store<Tx>).startTrial(endpoint, 'a', 60)),
      )
      assert.equal(trials.filter(Boolean).length, 1)
      assert.deepEqual(await dueAmong(there, [event]), [])
      assert.equal((await flowOf(there).holds(endpoint)).circuits[0]?.isOnTrial, true)

      await flowOf(there).countFailure(endpoint, 'a', 'z', { failures: 9, retryAfterSeconds: 60 })
      const [again] = (await flowOf(here).holds(endpoint)).circuits
      assert.deepEqual([again?.isOnTrial, again?.isHolding], [false, true])

      await flowOf(here).countFailure(endpoint, 'a', 'z', { failures: 9, retryAfterSeconds: 0 })
      await until(() => flowOf(there).startTrial(endpoint, 'a', shortLeaseSeconds))
      await until(() => flowOf(here).startTrial(endpoint, 'a', 60))
    },

    async 'an endpoint has a limited number of circuits, and those that hold stay'({ make }) {
      const store = await make()
      const endpoint = freshKey()
      const hold = { failures: 1, retryAfterSeconds: 60 }
      const count = (type: string, rule = { ...hold, failures: 2 }) =>
        flowOf(store).countFailure(endpoint, type, 'x', rule)
      const circuits = async () => (await flowOf(store).holds(endpoint)).circuits
      await count('open', hold)
      for (let i = 0; i < mostCircuits + 20; i++) {
        await count(`invented ${i}`)
      }
      const { length } = await circuits()
      assert.ok(length > 1 && length <= mostCircuits, `${length} circuits`)
      assert.ok((await circuits()).some(({ type, isHolding }) => type === 'open' && isHolding))
      for (let i = 0; i < mostCircuits + 20; i++) {
        await count(`invented ${i}`, hold)
      }
      assert.equal((await circuits()).filter(({ isHolding }) => isHolding).length, mostCircuits)
      await count('open', hold)
      assert.equal((await circuits()).find(({ type }) => type === 'open')?.failures, 2)
    },

    async 'a circuit is pruned when its type has not failed for long enough, unless it holds'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const flow = flowOf(here)
      const once = { failures: 9, retryAfterSeconds: 60 }
      await flow.countFailure(endpoint, 'holds', 'x', { ...once, failures: 1 })
      for (const type of ['allows a trial', 'on trial']) {
        await flow.countFailure(endpoint, type, 'x', { failures: 1, retryAfterSeconds: 0 })
      }
      await until(() => flow.startTrial(endpoint, 'on trial', 60))
      const types = async () => (await flow.holds(endpoint)).circuits.map(({ type }) => type).toSorted()
      await flowOf(there).pruneCircuits(3600)
      assert.deepEqual(await types(), ['allows a trial', 'holds', 'on trial'])
      // Under load the second count may be too old as well when the store prunes.
      await until(async () => {
        const [old, again] = [`old ${freshKey()}`, `again ${freshKey()}`]
        await flow.countFailure(endpoint, old, 'x', once)
        await flow.countFailure(endpoint, again, 'x', once)
        await pause(0.4)
        await flow.countFailure(endpoint, again, 'x', once)
        await flowOf(there).pruneCircuits(0.3)
        const left = await types()
        return left.includes(again) && !left.includes(old)
      })
      assert.deepEqual((await types()).slice(1), ['holds', 'on trial'])
    },

    async 'workers are listed until they leave, or were not seen for long enough'({
      make,
      shortLeaseSeconds,
    }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const limited = { types: ['a'], resources: ['"'] }
      const beat = { endpoint, id: freshKey(), process: 'host:1', version: '1.0.0', limited }
      const next = { ...beat, id: freshKey(), limited: { types: [], resources: [] } }
      await flowOf(here).beat(beat)
      await flowOf(here).beat(beat)
      // The clock of a store may count milliseconds.
      await pause(0.002)
      await flowOf(there).beat(next)
      const seen = await flowOf(there).workers(endpoint, 60)
      assert.deepEqual(
        seen.map(({ startedAt, seenAt, silentSeconds = -1, ...worker }) => [
          worker,
          Date.parse(startedAt) <= Date.parse(seenAt),
          silentSeconds >= 0 && silentSeconds < 60,
        ]),
        [
          [beat, true, true],
          [next, true, true],
        ],
      )
      assert.deepEqual(await flowOf(there).workers(freshKey(), 60), [])
      await flowOf(there).leave(endpoint, next.id)
      assert.equal((await flowOf(here).workers(endpoint, 60)).length, 1)
      await until(async () => (await flowOf(here).workers(endpoint, shortLeaseSeconds / 4)).length === 0)
    },

    async 'the start of a version outlasts its processes, and is noted again after another version'({
      make,
    }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const start = async (version: string) => {
        const id = freshKey()
        const worker = { endpoint, id, process: 'host:1', version, limited: { types: [], resources: [] } }
        await flowOf(here).beat(worker)
        await flowOf(here).beat(worker)
        await flowOf(here).leave(endpoint, id)
        // The clock of a store may count milliseconds.
        await pause(0.002)
      }
      const versions = async () => (await flowOf(there).versions(endpoint)).map(({ version }) => version)
      await start('1.0.0')
      const [first] = await flowOf(there).versions(endpoint)
      await start('1.0.0')
      assert.deepEqual(await flowOf(there).versions(endpoint), [first])
      assert.ok(Math.abs(Date.parse(first?.startedAt ?? '') - Date.now()) < 3_600_000)
      await start('2.0.0')
      assert.deepEqual(await versions(), ['1.0.0', '2.0.0'])
      await start('1.0.0')
      assert.deepEqual(await versions(), ['2.0.0', '1.0.0'])
      assert.deepEqual(await flowOf(there).versions(freshKey()), [])
    },

    async 'a quarantined delivery is found by the id of its event'({ make }) {
      const store = await make()
      const endpoint = freshKey()
      const delivery = { endpoint, eventId: 'evt_1', bodyHash: freshKey(), body: new Uint8Array([1]) }
      await inboxOf(store).quarantine({ ...delivery, code: 'event_id_conflict' })
      assert.equal(await flowOf(store).quarantineCode(endpoint, { eventId: 'evt_1' }), 'event_id_conflict')
      assert.equal(await flowOf(store).quarantineCode(endpoint, { eventId: 'evt_2' }), undefined)
      const { bodyHash } = delivery
      assert.equal(await flowOf(store).quarantineCode(endpoint, { bodyHash }), 'event_id_conflict')
      assert.equal(await flowOf(store).quarantineCode(freshKey(), { eventId: 'evt_1' }), undefined)
    },
  })
