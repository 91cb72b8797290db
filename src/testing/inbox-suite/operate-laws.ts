import assert from 'node:assert/strict'
import type { EventRef } from '../../store/event-ref.js'
import type { InboxPage } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import {
  accepted,
  anyBytes,
  fail,
  finish,
  inboxOf,
  kept,
  mustNotRun,
  nothing,
  type Words,
} from './stored-event.js'

const audit = { reason: 'known to the bank', actor: 'suite' }

/** Laws of the verbs for operators: listing, discarding, health and pruning. */
export const operateLaws = <Tx>(_: Words<Tx>): Laws<Store<Tx>> => ({
  async 'events are listed by state and endpoint, oldest first, page by page'({ make }) {
    const [here, there] = [await make(), await make()]
    const endpoint = freshKey()
    const events: EventRef[] = []
    for (let i = 0; i < 12; i++) {
      events.push(await accepted(i % 2 ? here : there, { endpoint }))
    }
    await accepted(here)
    const [done, failed, dead] = events as [EventRef, EventRef, EventRef]
    await finish(here, done)
    await fail(here, failed)
    await inboxOf(here).markDead(dead.key, 'given up')

    const keysOf = async (query: InboxPage) =>
      (await inboxOf(there).list({ endpoint, ...query })).map(({ key }) => key)
    const all = events.map(({ key }) => key)
    assert.deepEqual(await keysOf({}), all)
    assert.deepEqual(await keysOf({ state: 'accepted' }), all.slice(3))
    assert.deepEqual(await keysOf({ state: 'done' }), [done.key])
    assert.deepEqual(await keysOf({ state: 'failed' }), [failed.key])
    assert.deepEqual(await keysOf({ state: 'dead' }), [dead.key])

    for (const query of [{}, { state: 'accepted' }] as const) {
      const paged: string[] = []
      for (let page = await keysOf({ ...query, limit: 5 }); page.length > 0; ) {
        assert.ok(page.length <= 5)
        paged.push(...page)
        page = await keysOf({ ...query, limit: 5, after: page.at(-1) as string })
      }
      assert.deepEqual(paged, await keysOf(query))
    }
    assert.deepEqual(await inboxOf(here).list({ endpoint: freshKey() }), [])
    assert.ok((await inboxOf(here).list({ allEndpoints: true })).length >= 13)
  },

  async 'only a dead event can be discarded, and a later delivery is a new event'({ make }) {
    const [here, there] = [await make(), await make()]
    const [dead, waiting, done] = [await accepted(here), await accepted(here), await accepted(here)]
    await inboxOf(here).markDead(dead.key, 'given up')
    await finish(here, done)
    for (const { key } of [waiting, done]) {
      assert.equal(await inboxOf(there).discard(key, audit), false)
    }
    assert.equal(await inboxOf(there).discard(dead.key, audit), true)
    assert.equal(await inboxOf(here).read(dead.key), undefined)
    for (const event of [waiting, done]) {
      await kept(here, event)
    }
    assert.deepEqual(await inboxOf(here).accept(dead, nothing), { state: 'accepted' })
  },

  async 'a query that names no endpoint is rejected'({ make }) {
    const inbox = inboxOf(await make())
    const isRejected = (error: unknown) => (error as { code?: unknown }).code === 'invalid_option'
    for (const query of [{}, { endpoint: undefined }, { allEndpoints: false }, undefined]) {
      await assert.rejects(inbox.list(query as never), isRejected)
      await assert.rejects(inbox.quarantined(query as never), isRejected)
    }
  },

  async 'a query that a database cannot hold is rejected with a code'({ make }) {
    const inbox = inboxOf(await make())
    const endpoint = freshKey()
    const far = [new Date(8.64e15), new Date(-8.64e15)]
    const calls = [
      ...['a\0b', '\ud800'].flatMap((odd) => [
        () => inbox.list({ endpoint: odd }),
        ...(['type', 'group', 'resource', 'text', 'key'] as const).map(
          (name) => () => inbox.list({ endpoint, [name]: odd }),
        ),
        () => inbox.due(1, odd),
        () => inbox.due(1, endpoint, { exceptTypes: [odd] }),
        () => inbox.readQuarantined?.(`${odd}/a`),
        () => inbox.discard(`${odd}/a`, audit),
        () => inbox.failures?.groups({ endpoint, after: odd }),
        () => inbox.failures?.setState(endpoint, odd, 'resolved', audit),
        () => inbox.bulk?.readPlan(odd),
        () => inbox.bulk?.readRun(odd),
        () => inbox.bulk?.runs({ endpoint, after: odd }),
        () => inbox.bulk?.undo({ endpoint, run: odd }, audit, 1),
        () => inbox.flow?.pause({ endpoint, type: odd }, audit),
        () => inbox.flow?.workers(odd, 60),
        () => inbox.auditLog?.list({ endpoint, run: odd }),
      ]),
      ...far.flatMap((time) => [
        () => inbox.list({ endpoint, since: time }),
        () => inbox.list({ endpoint, until: time }),
        () => inbox.statistics?.read({ endpoint, since: time, buckets: 1 }),
      ]),
      ...[2 ** 31, 2 ** 53].flatMap((limit) => [
        () => inbox.list({ endpoint, limit }),
        () => inbox.quarantined({ endpoint, limit }),
        () => inbox.due(limit),
        () => inbox.failures?.groups({ endpoint, limit }),
        () => inbox.bulk?.runs({ endpoint, limit }),
        () => inbox.bulk?.startRun({ id: 'a', plan: 'b', perSecond: 1, canary: limit }, audit),
        () => inbox.auditLog?.list({ endpoint, limit }),
      ]),
    ]
    for (const call of calls) {
      const asked = call()
      if (asked) {
        await assert.rejects(asked, { code: 'invalid_option' }, String(call))
      }
    }
  },

  async 'the time of an event lasts until its work has ended'({ make }) {
    const store = await make()
    const event = await accepted(store)
    assert.equal((await store.once(event, () => pause(0.2))).state, 'done')
    const { receivedAt, doneAt = '' } = await kept(store, event)
    const took = Date.parse(doneAt) - Date.parse(receivedAt)
    assert.ok(took >= 190, `${took} ms`)
  },

  async 'health counts the events by state'({ make }) {
    const store = await make()
    const { counts: before } = await inboxOf(store).health()
    await accepted(store)
    for (let i = 0; i < 2; i++) {
      await finish(store, await accepted(store))
    }
    for (let i = 0; i < 3; i++) {
      await fail(store, await accepted(store))
    }
    for (let i = 0; i < 4; i++) {
      await inboxOf(store).markDead((await accepted(store)).key, 'given up')
    }
    await inboxOf(store).quarantine({
      endpoint: freshKey(),
      code: 'invalid_json',
      bodyHash: freshKey(),
      body: anyBytes,
    })
    const { counts, oldestUnprocessedSeconds } = await inboxOf(store).health()
    const grown = Object.entries(counts).map(([state, n]) => [
      state,
      n - before[state as keyof typeof before],
    ])
    assert.deepEqual(Object.fromEntries(grown), { accepted: 1, done: 2, failed: 3, dead: 4, quarantined: 1 })
    assert.ok(oldestUnprocessedSeconds >= 0 && oldestUnprocessedSeconds < 3600)
  },

  async 'prune deletes only done events whose retention has passed'({ make }) {
    const store = await make()
    const brief = { retentionSeconds: 0.001 }
    const old = [
      await accepted(store, {}, brief),
      await accepted(store, {}, brief),
      await accepted(store, {}, brief),
    ]
    for (const event of old) {
      await finish(store, event)
    }
    const [waiting, failed, dead] = [
      await accepted(store, {}, brief),
      await accepted(store, {}, brief),
      await accepted(store, {}, brief),
    ]
    await fail(store, failed)
    await inboxOf(store).markDead(dead.key, 'given up')
    await pause(0.05)
    const young = await accepted(store)
    await finish(store, young)

    // The caller's clock has jumped by a century.
    const future = new Date(Date.now() + 100 * 365 * 86_400_000)
    assert.equal(await store.prune(new Date(0), 100), 0, 'nothing was done before 1970')
    assert.equal(await store.prune(future, 2), 2)
    while ((await store.prune(future, 1000)) > 0) {}
    for (const { key } of old) {
      assert.equal(await inboxOf(store).read(key), undefined)
    }
    for (const event of [waiting, failed, dead]) {
      await kept(store, event)
    }
    assert.equal((await store.once(young, mustNotRun)).state, 'duplicate', 'younger than its retention')
  },
})
