import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { Pause, PauseTarget } from '../../store/flow-store.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { allNeed } from './capabilities.js'
import { flowOf } from './flow-bench.js'
import { accepted, dueAmong, fail, finish, inboxOf, kept } from './stored-event.js'

const audit = { reason: 'law', actor: 'suite' }

/** Laws of pauses. */
export const pauseLaws = <Tx>(): Laws<Store<Tx>> =>
  allNeed<Store<Tx>>('flow', {
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

    async 'of any number of types, each is found behind a paused one in the end'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const held = { endpoint, type: 'm' }
      for (const from of [0, 300]) {
        const more = Array.from({ length: 300 }, (_, i) =>
          accepted(i % 2 ? here : there, { ...held, id: `e${from + i}` }),
        )
        await Promise.all(more)
      }
      const free = await Promise.all(
        Array.from({ length: 120 }, (_, i) => accepted(here, { endpoint, type: `${i % 2 ? 'a' : 'z'}${i}` })),
      )
      await flowOf(here).pause(held, audit)
      const found = new Set<string>()
      for (let search = 0; search < 40 && found.size < free.length; search++) {
        for (const { key, type } of await inboxOf(there).due(100, endpoint)) {
          assert.notEqual(type, 'm')
          found.add(key)
        }
      }
      assert.deepEqual([...found].sort(), free.map(({ key }) => key).sort())
      const one = await inboxOf(there).due(10, endpoint, { onlyTypes: ['z0'] })
      assert.deepEqual(
        one.map(({ type }) => type),
        ['z0'],
      )
      const rest = await inboxOf(there).due(100, endpoint, { exceptTypes: ['m', 'z0'] })
      assert.ok(rest.length > 0 && rest.every(({ type }) => type !== 'z0' && type !== 'm'))
    },

    async 'pauses are independent, and a second pause or resume of one target changes nothing'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      const event = await accepted(here, { endpoint, type: 'a', resource: 'r' })
      const targets = targetsOf(endpoint)
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
      for (const type of ['a', 'b']) {
        await flowOf(here).pause({ endpoint, type }, audit)
      }
      assert.equal(await flowOf(there).resume({ endpoint, type: 'b' }, audit), true)
      assert.deepEqual(
        (await flowOf(here).paused({ endpoint })).map(({ type }) => type),
        ['a'],
      )
    },

    async 'a resume ends only the pause that its caller saw'({ make }) {
      const [here, there] = [await make(), await make()]
      const endpoint = freshKey()
      for (const target of targetsOf(endpoint)) {
        const only = async () =>
          (await flowOf(there).paused({ endpoint })).find(
            ({ type, resource }) => type === target.type && resource === target.resource,
          ) as Pause
        await flowOf(here).pause(target, audit)
        const seen = await only()
        assert.equal(await flowOf(here).resume(target, audit, seen), true)
        assert.equal(await flowOf(there).resume(target, audit, seen), false, 'it was not paused')
        // Two pauses at the same millisecond cannot be told apart.
        await new Promise((resolve) => setTimeout(resolve, 5))
        await flowOf(here).pause(target, { reason: 'another one', actor: 'other' })
        const now = await only()
        const isConflict = { name: 'ConflictError', code: 'pause_changed' }
        await assert.rejects(flowOf(there).resume(target, audit, seen), isConflict)
        assert.deepEqual(await only(), now)
        assert.equal(
          (await auditsOf(here, endpoint))[0]?.split(' ')[0],
          'pause',
          'a rejected call has no audit',
        )
        assert.equal(await flowOf(there).resume(target, audit, now), true)
      }
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
      for (let i = 0; i < 4; i++) {
        await accepted(store, { endpoint, type: 'held' })
      }
      // Many, so that some are accepted within one millisecond.
      for (let i = 0; i < 40; i++) {
        events.push(await accepted(store, { endpoint, type: i % 2 === 0 ? 'free-1' : 'free-0' }))
      }
      const found = await inboxOf(store).due(20, endpoint)
      assert.deepEqual(
        found.map(({ key }) => key),
        events.slice(0, 20).map(({ key }) => key),
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

/** One of each kind. */
const targetsOf = (endpoint: string): PauseTarget[] => [
  { endpoint },
  { endpoint, type: 'a' },
  { endpoint, resource: 'r' },
]

async function auditsOf(store: Store<unknown>, endpoint: string): Promise<string[]> {
  const { auditLog } = inboxOf(store)
  assert.ok(auditLog, 'an inbox with flow keeps a log of audits')
  return (await auditLog.list({ endpoint })).map(({ action, subject }) => `${action} ${subject}`)
}
