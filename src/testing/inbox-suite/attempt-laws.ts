import assert from 'node:assert/strict'
import { HandlerFailure } from '../../errors.js'
import { mostAttempts } from '../../store/failed-attempt.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws } from '../laws.js'
import { attemptsOf, tryOnce } from './attempts.js'
import { audit } from './bulk-bench.js'
import { accepted, fail, finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

/** Laws of the history of an event. */
export const attemptLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'every failed attempt is kept with its time, error, group and next try'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    assert.equal((await kept(there, event)).attempts, undefined)
    await fail(here, event, new TypeError('failure 1'))
    await fail(there, event, new TypeError('failure 2'))
    await inboxOf(here).postpone(event.key, 3600, 'the queue says: failure 2')
    await fail(here, event, new TypeError('failure 3'))
    await inboxOf(there).markDead(event.key, 'the queue says: failure 3')
    assert.deepEqual(await attemptsOf(there, event), [
      [0, 1, 'TypeError: failure 1'],
      [0, 2, 'the queue says: failure 2'],
      [0, 3, 'the queue says: failure 3'],
    ])
    const { attempts = [], receivedAt, group } = await kept(here, event)
    const times = attempts.map(({ at }) => Date.parse(at ?? ''))
    assert.deepEqual(times, [...times].sort())
    assert.ok(times.every((time) => Math.abs(time - Date.parse(receivedAt)) < 600_000))
    const [first, second, third] = attempts
    assert.equal(Math.round((Date.parse(second?.retryAt ?? '') - (times[1] ?? 0)) / 1000), 3600)
    assert.deepEqual([first?.retryAt, third?.retryAt], [undefined, undefined])
    assert.ok(group !== undefined && attempts.every((each) => each.group?.startsWith(`${event.endpoint}:`)))
    assert.equal(third?.group, group)
  },

  async 'a failure that takes nothing from the attempts of a queue is marked'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await fail(here, event, new HandlerFailure(new Error('stopped'), undefined, 1, false))
    await fail(there, event, new HandlerFailure(new Error('failed')))
    const { attempts = [] } = await kept(here, event)
    assert.deepEqual(
      attempts.map(({ error, isUncounted }) => [error, isUncounted]),
      [
        ['Error: stopped', true],
        ['Error: failed', undefined],
      ],
    )
  },

  async 'a failure is noted once, and only in the generation in which it happened'({ make }) {
    const [here, there] = [await make(), await make()]
    const event = await accepted(here)
    await fail(here, event, new Error('failure 1'))
    const seen = await kept(here, event)
    await inboxOf(here).postpone(event.key, 60, 'failure 1', undefined, seen)
    // The reply may be lost, and the worker notes it again.
    await inboxOf(there).postpone(event.key, 60, 'failure 1', undefined, seen)
    await inboxOf(there).markDead(event.key, 'failure 1', undefined, seen)
    const { state, failures } = await kept(here, event)
    assert.deepEqual([state, failures], ['failed', 1])
    await inboxOf(here).markDead(event.key, 'failure 2', undefined, await kept(here, event))
    const dead = await kept(here, event)
    assert.deepEqual([dead.state, dead.failures], ['dead', 2])
    await inboxOf(here).requeue(event.key, audit, nothing)
    // A worker that was cut off notes what it saw before the replay.
    for (const old of [seen, { ...dead, failures: 0 }]) {
      await inboxOf(there).postpone(event.key, 60, 'failure 1', undefined, old)
      await inboxOf(there).markDead(event.key, 'failure 1', undefined, old)
    }
    const replayed = await kept(here, event)
    assert.deepEqual([replayed.state, replayed.failures, replayed.generation], ['accepted', 0, 1])
  },

  async 'an event that is done keeps its failed attempts, and a list leaves them out'({ make }) {
    const store = await make()
    const event = await accepted(store)
    await tryOnce(store, event, 'the first try')
    const { endpoint } = event
    const listed = async () => (await inboxOf(store).list({ endpoint })).map(({ attempts }) => attempts)
    assert.deepEqual(await listed(), [undefined])
    await finish(store, event)
    assert.deepEqual(await attemptsOf(store, event), [[0, 1, 'the first try']])
    assert.deepEqual(await listed(), [undefined])
  },

  async 'a failure before the claim is kept too'({ make }) {
    const store = await make()
    const [event, dead] = [await accepted(store), newEvent()]
    await inboxOf(store).postpone(event.key, 60, 'no handler')
    await inboxOf(store).postpone(event.key, 60, 'still no handler')
    await tryOnce(store, event, 'it ran')
    await inboxOf(store).markDead(event.key, 'the handler is gone again')
    assert.deepEqual(await attemptsOf(store, event), [
      [0, 0, 'no handler'],
      [0, 0, 'still no handler'],
      [0, 1, 'it ran'],
      [0, 1, 'the handler is gone again'],
    ])
    await inboxOf(store).acceptDead(dead, 'invalid_data', 'data.amount')
    assert.deepEqual(await attemptsOf(store, dead), [[0, 0, 'invalid_data: data.amount']])
  },

  async 'only the newest failed attempts are kept'({ make }) {
    const store = await make()
    const event = await accepted(store)
    for (let attempt = 1; attempt <= mostAttempts + 2; attempt++) {
      await tryOnce(store, event, `failure ${attempt}`)
    }
    const newest = Array.from({ length: mostAttempts }, (_, i) => [0, i + 3, `failure ${i + 3}`])
    assert.deepEqual(await attemptsOf(store, event), newest)
  },

  async 'an error of an attempt may contain any characters'({ make }) {
    const store = await make()
    const event = await accepted(store)
    const odd = '\0 \uD800 \u2028 " \\ </script> 𝄞'
    const plain = '\uFFFD \uFFFD \u2028 " \\ </script> 𝄞'
    await fail(store, event, new Error(odd))
    await inboxOf(store).postpone(event.key, 60, `${odd}${'𝄞'.repeat(1_000_000)}`)
    await inboxOf(store).markDead(event.key, odd)
    const { attempts = [], lastError } = await kept(store, event)
    const [long, last] = attempts.map(({ error = '' }) => error)
    assert.ok(long?.startsWith(plain) && long.length <= 2000 && long.isWellFormed())
    assert.deepEqual([last, lastError], [plain, plain])
  },

  async 'no content is kept with the error of an earlier one'({ make }) {
    const store = await make()
    const event = newEvent()
    await fail(store, event, new Error('no such account'))
    const other = { ...event, contentHash: freshKey() }
    await assert.rejects(
      store.once(other, async () => {
        // A store may show the earlier content until the work has ended.
        const { contentHash, lastError, group } = await kept(store, event)
        const isEarlier = contentHash === event.contentHash
        assert.deepEqual([lastError !== undefined, group !== undefined], [isEarlier, isEarlier])
        throw new Error('no such wallet')
      }),
      /no such wallet/,
    )
    const { contentHash, lastError } = await kept(store, event)
    assert.deepEqual([contentHash, lastError], [other.contentHash, 'Error: no such wallet'])
  },
})
