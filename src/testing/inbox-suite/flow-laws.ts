import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { FlowStore, PauseTarget } from '../../store/flow-store.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { accepted, dueAmong, fail, finish, inboxOf, kept } from './stored-event.js'

const audit = { reason: 'law', actor: 'suite' }

/** The part under test. A store that cannot hold events back has no such laws. */
export function flowOf(store: Store<unknown>): FlowStore {
  const { flow } = inboxOf(store)
  assert.ok(flow, 'the inbox has no flow')
  return flow
}

/** These laws hold where the inbox has the part. One without it has nothing to hold them to. */
const withFlow = <Tx>(laws: Laws<Store<Tx>>): Laws<Store<Tx>> =>
  Object.fromEntries(
    Object.entries(laws).map(([name, law]) => [
      name,
      async (trial) => {
        if (inboxOf(await trial.make()).flow) {
          await law(trial)
        }
      },
    ]),
  )

/** Laws of pauses. */
export const pauseLaws = <Tx>(): Laws<Store<Tx>> =>
  withFlow({
    async 'due leaves out what is paused by endpoint, type or resource, in every instance'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const other = await accepted(here, { endpoint, type: 'b' })
      const ofType = await accepted(here, { endpoint, type: 'a' })
      const ofResource = await accepted(here, { endpoint, type: 'b', resource: 'r' })
      const elsewhere = await accepted(here, { type: 'a', resource: 'r' })
      const all = [other, ofType, ofResource, elsewhere]
      const runs = async (events: readonly EventRef[]) => {
        for (const store of [here, there]) {
          assert.deepEqual((await dueAmong(store, all)).sort(), events.map(({ key }) => key).sort())
          const found = await inboxOf(store).due(10, endpoint)
          assert.deepEqual(
            found.map(({ key }) => key).sort(),
            events
              .filter((event) => event.endpoint === endpoint)
              .map(({ key }) => key)
              .sort(),
          )
        }
      }
      await runs(all)
      const cases: [PauseTarget, EventRef[]][] = [
        [{ endpoint }, [elsewhere]],
        [{ endpoint, type: 'a' }, [other, ofResource, elsewhere]],
        [{ endpoint, resource: 'r' }, [other, ofType, elsewhere]],
      ]
      for (const [target, left] of cases) {
        assert.equal(await flowOf(here).pause(target, audit), true)
        await runs(left)
        assert.equal(await flowOf(there).resume(target, audit), true)
        await runs(all)
      }
    },

    async 'pauses are independent, and a second pause or resume of one target changes nothing'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const event = await accepted(here, { endpoint, type: 'a', resource: 'r' })
      const targets = [{ endpoint }, { endpoint, type: 'a' }, { endpoint, resource: 'r' }]
      for (const target of targets) {
        assert.equal(await flowOf(here).pause(target, audit), true)
        assert.equal(await flowOf(there).pause(target, { reason: 'again', actor: 'other' }), false)
      }
      const listed = await flowOf(there).paused({ endpoint })
      assert.deepEqual(
        listed.map(({ pausedAt, ...pause }) => [Number.isNaN(Date.parse(pausedAt)), pause]),
        targets.map((target) => [false, { ...target, ...audit }]),
      )
      assert.deepEqual((await flowOf(here).holds(endpoint)).pauses, listed)
      assert.deepEqual(await auditsOf(here, endpoint), [
        'pause resource r',
        'pause type a',
        'pause undefined',
      ])
      const everywhere = await flowOf(here).paused({ allEndpoints: true })
      assert.equal(everywhere.filter((pause) => pause.endpoint === endpoint).length, 3)
      for (const [i, target] of targets.entries()) {
        assert.deepEqual(await dueAmong(there, [event]), [])
        assert.equal(await flowOf(there).resume(target, audit), true)
        assert.equal(await flowOf(here).resume(target, audit), false)
        assert.equal((await flowOf(here).paused({ endpoint })).length, 2 - i)
      }
      assert.deepEqual(await dueAmong(there, [event]), [event.key])
    },

    async 'a pause changes no event: it is accepted, counts nothing, and runs where a claim asks'({ make }) {
      const store = await make()
      const endpoint = freshKey()
      await flowOf(store).pause({ endpoint, type: 'a' }, audit)
      const event = await accepted(store, { endpoint, type: 'a' })
      const failed = await accepted(store, { endpoint, type: 'a' })
      await fail(store, failed)
      await inboxOf(store).postpone(failed.key, 0, 'again')
      assert.deepEqual(await dueAmong(store, [event, failed]), [])
      const { state, attempt, failures } = await kept(store, event)
      assert.deepEqual([state, attempt, failures], ['accepted', 0, 0])
      await finish(store, event)
      await flowOf(store).resume({ endpoint, type: 'a' }, audit)
      assert.deepEqual(await dueAmong(store, [event, failed]), [failed.key])
      assert.equal((await kept(store, failed)).failures, 1)
    },

    async 'a filter narrows what is due'({ make }) {
      const store = await make()
      const endpoint = freshKey()
      const a = await accepted(store, { endpoint, type: 'a', resource: 'r' })
      const b = await accepted(store, { endpoint, type: 'b' })
      const c = await accepted(store, { endpoint, type: 'c', resource: 's' })
      const found = async (filter: object, limit = 10) =>
        (await inboxOf(store).due(limit, endpoint, filter)).map(({ key }) => key)
      assert.deepEqual(await found({}), [a.key, b.key, c.key])
      assert.deepEqual(await found({ onlyTypes: ['b', 'c'] }), [b.key, c.key])
      assert.deepEqual(await found({ onlyTypes: ['b', 'c'] }, 1), [b.key])
      assert.deepEqual(await found({ exceptTypes: ['b'] }), [a.key, c.key])
      assert.deepEqual(await found({ exceptResources: ['s', '"'] }), [a.key, b.key])
      await flowOf(store).pause({ endpoint, type: 'a' }, audit)
      assert.deepEqual(await found({ onlyTypes: ['a', 'b'] }), [b.key])
    },

    async 'an event that is held back does not hide the others, in the order they were accepted'({ make }) {
      const store = await make()
      const endpoint = freshKey()
      await flowOf(store).pause({ endpoint, type: 'held' }, audit)
      const events: EventRef[] = []
      for (let i = 0; i < 12; i++) {
        const event = await accepted(store, { endpoint, type: i % 3 === 2 ? `free-${i % 2}` : 'held' })
        if (event.type !== 'held') {
          events.push(event)
        }
      }
      const found = await inboxOf(store).due(3, endpoint)
      assert.deepEqual(
        found.map(({ key }) => key),
        events.slice(0, 3).map(({ key }) => key),
      )
    },

    async 'a claim is seen while the work runs'({ make }) {
      const [here, there] = [await make(), await make()]
      const event = await accepted(here)
      assert.deepEqual(await flowOf(there).claimOf(event.key), { state: 'free' })
      const held = here.once(event, async () => {
        const claim = await flowOf(there).claimOf(event.key)
        assert.equal(claim.state, 'running')
        assert.equal(
          claim.state === 'running' && claim.until !== undefined && Date.parse(claim.until) < Date.now(),
          false,
        )
      })
      assert.equal((await held).state, 'done')
      assert.deepEqual(await flowOf(there).claimOf(event.key), { state: 'free' })
      assert.deepEqual(await flowOf(there).claimOf(freshKey()), { state: 'free' })
    },
  })

/** Laws of circuits and workers. */
export const circuitLaws = <Tx>(): Laws<Store<Tx>> =>
  withFlow({
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
      await flowOf(there).beat(next)
      const seen = await flowOf(there).workers(endpoint, 60)
      assert.deepEqual(
        seen.map(({ startedAt, seenAt, ...worker }) => [worker, Date.parse(startedAt) <= Date.parse(seenAt)]),
        [
          [beat, true],
          [next, true],
        ],
      )
      assert.deepEqual(await flowOf(there).workers(freshKey(), 60), [])
      await flowOf(there).leave(endpoint, next.id)
      assert.equal((await flowOf(here).workers(endpoint, 60)).length, 1)
      await until(async () => (await flowOf(here).workers(endpoint, shortLeaseSeconds / 4)).length === 0)
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

async function auditsOf(store: Store<unknown>, endpoint: string): Promise<string[]> {
  const { auditLog } = inboxOf(store)
  assert.ok(auditLog, 'an inbox with flow keeps a log of audits')
  return (await auditLog.list({ endpoint })).map(({ action, subject }) => `${action} ${subject}`)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'it did not come about in 30 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
