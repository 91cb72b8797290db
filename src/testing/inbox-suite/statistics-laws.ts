import assert from 'node:assert/strict'
import { mostTimed } from '../../store/statistics-store.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { capabilityOf } from './capabilities.js'
import { accepted, anyBytes, fail, finish, inboxOf, nothing } from './stored-event.js'

const aMinuteAgo = () => new Date(Date.now() - 60_000)

/** Laws of the statistics. The backend may hold other events, so each law has an endpoint of its own. */
export const statisticsLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'statistics count what arrived and what became of it, for one endpoint'({ make }) {
    const store = await make()
    const [inbox, statistics] = [inboxOf(store), capabilityOf(store, 'statistics')]
    const endpoint = freshKey()
    const [done, failed, dead] = [
      await accepted(store, { endpoint }),
      await accepted(store, { endpoint }),
      await accepted(store, { endpoint }),
    ]
    await accepted(store, { endpoint })
    await accepted(store, { endpoint: freshKey() })
    await finish(store, done)
    await fail(store, failed)
    await inbox.markDead(dead.key, 'given up')
    await inbox.quarantine({ endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes })

    const since = aMinuteAgo()
    const { buckets, ...found } = await statistics.read({ endpoint, since, buckets: 6 })
    assert.ok(Math.abs(Date.parse(found.since) - since.getTime()) < 2)
    assert.ok(found.bucketSeconds > 9)
    assert.equal(found.accepted.count, 1)
    assert.equal(found.failed.count, 1)
    assert.equal(found.dead.count, 1)
    assert.equal(found.quarantined.count, 1)
    assert.ok(found.oldestWaitingSeconds >= 0 && found.oldestWaitingSeconds < 3600)
    assert.ok(found.lastReceivedAt && found.lastReceivedAt <= found.at)
    assert.ok(
      found.latency && found.latency.p50 <= found.latency.p95 && found.latency.p95 <= found.latency.p99,
    )
    assert.equal(buckets.length, 6)
    assert.deepEqual(
      buckets.map(({ startsAt }) => startsAt),
      buckets.map(({ startsAt }) => startsAt).toSorted(),
    )
    const sum = (of: 'received' | 'done' | 'dead') => buckets.reduce((total, bucket) => total + bucket[of], 0)
    assert.deepEqual([sum('received'), sum('done'), sum('dead')], [4, 1, 1])
  },

  async 'after many replays the latency is that of the events that ran once'({ make }) {
    const store = await make()
    const [inbox, statistics] = [inboxOf(store), capabilityOf(store, 'statistics')]
    const endpoint = freshKey()
    const event = await accepted(store, { endpoint })
    await finish(store, event)
    for (let i = 1; i < mostTimed; i++) {
      const replayed = await accepted(store, { endpoint })
      await finish(store, replayed)
      await inbox.requeue(replayed.key, { reason: 'a law', actor: 'suite' }, nothing)
      await finish(store, replayed)
    }
    const { latency } = await statistics.read({ endpoint, since: aMinuteAgo(), buckets: 1 })
    assert.ok(latency)
  },

  async 'the latency of an interval is that of all of its events, not of the newest'({ make }) {
    const store = await make()
    const statistics = capabilityOf(store, 'statistics')
    const endpoint = freshKey()
    const slow = [await accepted(store, { endpoint })]
    while (slow.length < 60) {
      slow.push(await accepted(store, { endpoint }))
    }
    await pause(1)
    for (const event of slow) {
      await finish(store, event)
    }
    // More than the sample has, so that the newest alone would all be fast.
    for (let i = 0; i < mostTimed; i++) {
      await finish(store, await accepted(store, { endpoint }))
    }
    const { latency } = await statistics.read({ endpoint, since: aMinuteAgo(), buckets: 1 })
    assert.ok(latency && latency.p95 >= 0.9, `p95 is ${latency?.p95} s, but many of them took a second`)
  },

  async 'intervals of a length begin at its multiples, and the last one has not ended'({ make }) {
    const store = await make()
    const statistics = capabilityOf(store, 'statistics')
    const endpoint = freshKey()
    await accepted(store, { endpoint })
    const { at, since, bucketSeconds, buckets } = await statistics.read({
      endpoint,
      bucketSeconds: 7,
      buckets: 4,
    })
    const starts = buckets.map(({ startsAt }) => Date.parse(startsAt) / 1000)
    const [first = 0, , , last = 0] = starts
    assert.equal(bucketSeconds, 7)
    assert.equal(first % 7, 0)
    assert.deepEqual(starts, [first, first + 7, first + 14, first + 21])
    assert.equal(Date.parse(since) / 1000, first)
    assert.ok(Date.parse(at) / 1000 >= last && Date.parse(at) / 1000 < last + 7)
    assert.equal(
      buckets.reduce((sum, { received }) => sum + received, 0),
      1,
    )
  },

  async 'sources are the types of one endpoint with their last event, none of them silent so soon'({ make }) {
    const store = await make()
    const [inbox, statistics] = [inboxOf(store), capabilityOf(store, 'statistics')]
    const endpoint = freshKey()
    const send = (type: string) => accepted(store, { endpoint, type })
    for (const type of ['b', 'a', 'b']) {
      await finish(store, await send(type))
    }
    await inbox.markDead((await send('c')).key, 'given up')
    await finish(store, await accepted(store, { endpoint: freshKey(), type: 'd' }))
    const [whole, ...types] = (await statistics.sources(endpoint)).sources
    const newest = (await inbox.list({ endpoint, order: 'newest', limit: 1 }))[0]?.receivedAt ?? ''
    assert.equal(whole?.type, undefined)
    assert.ok(Math.abs(Date.parse(whole?.lastReceivedAt ?? '') - Date.parse(newest)) < 2)
    assert.deepEqual(
      [whole, ...types].map((source) => [source?.type, source?.inLastDay.count, source?.isSilent]),
      [
        [undefined, 4, false],
        ['a', 1, false],
        ['b', 2, false],
        ['c', 1, false],
      ],
    )

    // An event that waits is the last one of its type, too.
    const before = types[1]?.lastReceivedAt as string
    await send('b')
    const after = (await statistics.sources(endpoint)).sources[2]?.lastReceivedAt as string
    assert.ok(after >= before)
    assert.deepEqual(await statistics.sources(freshKey()), { sources: [], isCapped: false })
  },

  async 'statistics of every endpoint count those of each'({ make }) {
    const store = await make()
    const statistics = capabilityOf(store, 'statistics')
    const read = () => statistics.read({ allEndpoints: true, since: aMinuteAgo(), buckets: 6 })
    const before = await read()
    const [done, dead] = [await accepted(store), await accepted(store)]
    await accepted(store)
    await finish(store, done)
    await inboxOf(store).markDead(dead.key, 'given up')
    const bodyHash = freshKey()
    await inboxOf(store).quarantine({ endpoint: freshKey(), code: 'invalid_json', bodyHash, body: anyBytes })
    const after = await read()
    for (const state of ['accepted', 'dead', 'quarantined'] as const) {
      const isMore = after[state].count > before[state].count || before[state].isCapped
      assert.ok(isMore, state)
    }
    assert.ok(after.lastReceivedAt && after.lastReceivedAt >= (before.lastReceivedAt ?? ''))
    assert.ok(after.latency)
    const [lately] = after.buckets.slice(-1)
    assert.ok(lately && (lately.isCapped || lately.received >= 3))
    assert.ok(lately.isCapped || (lately.done >= 1 && lately.dead >= 1))
  },

  async 'the latency of a replayed event says nothing, and is left out'({ make }) {
    const store = await make()
    const [inbox, statistics] = [inboxOf(store), capabilityOf(store, 'statistics')]
    const endpoint = freshKey()
    const event = await accepted(store, { endpoint })
    await finish(store, event)
    const read = () => statistics.read({ endpoint, since: aMinuteAgo(), buckets: 1 })
    assert.ok((await read()).latency)
    await inbox.requeue(event.key, { reason: 'again', actor: 'suite' }, nothing)
    await finish(store, event)
    const { latency, buckets } = await read()
    assert.deepEqual([latency, buckets[0]?.latency, buckets[0]?.done], [undefined, undefined, 1])
  },

  async 'a replayed event has waited since its replay, also after it failed again'({ make }) {
    const store = await make()
    const inbox = inboxOf(store)
    const statistics = capabilityOf(store, 'statistics')
    const event = await accepted(store, { endpoint: freshKey() })
    const waited = async () =>
      (await statistics.read({ endpoint: event.endpoint, since: aMinuteAgo(), buckets: 1 }))
        .oldestWaitingSeconds
    await pause(1)
    const sinceArrival = await waited()
    assert.ok(sinceArrival >= 0.9, `${sinceArrival} s since it arrived`)
    await inbox.markDead(event.key, 'given up')
    assert.equal(await waited(), 0)

    const replayed = performance.now()
    const assertSinceReplay = async () => {
      const seconds = await waited()
      const most = (performance.now() - replayed) / 1000
      assert.ok(seconds <= most + 0.1, `${seconds} s, but the replay was ${most} s ago`)
    }
    await inbox.requeue(event.key, { reason: 'again', actor: 'suite' }, nothing)
    await assertSinceReplay()
    await fail(store, event)
    await assertSinceReplay()
  },

  async 'statistics of an endpoint without events are empty'({ make }) {
    const statistics = capabilityOf(await make(), 'statistics')
    const found = await statistics.read({ endpoint: freshKey(), since: aMinuteAgo(), buckets: 3 })
    assert.equal(found.accepted.count + found.failed.count + found.dead.count, 0)
    assert.equal(found.oldestWaitingSeconds, 0)
    assert.equal(found.latency, undefined)
    assert.equal(found.lastReceivedAt, undefined)
    assert.deepEqual(
      found.buckets.map(({ received }) => received),
      [0, 0, 0],
    )
  },

  async 'statistics without an endpoint, a time or a number of buckets are rejected'({ make }) {
    const statistics = capabilityOf(await make(), 'statistics')
    const isRejected = (error: unknown) => (error as { code?: unknown }).code === 'invalid_option'
    const since = aMinuteAgo()
    for (const query of [
      { since, buckets: 1 },
      { endpoint: 'a', since: '2026', buckets: 1 },
      { endpoint: 'a', since: new Date(Number.NaN), buckets: 1 },
      { endpoint: 'a', since, buckets: 0 },
      { endpoint: 'a', since, buckets: 1.5 },
      { endpoint: 'a', since, buckets: 101 },
      { endpoint: 'a', buckets: 1 },
      { endpoint: 'a', since, bucketSeconds: 60, buckets: 1 },
      { endpoint: 'a', bucketSeconds: 0, buckets: 1 },
      { endpoint: 'a', bucketSeconds: 1.5, buckets: 1 },
      { endpoint: 'a', bucketSeconds: '60', buckets: 1 },
      { endpoint: 'a', bucketSeconds: 31_622_401, buckets: 1 },
    ]) {
      await assert.rejects(statistics.read(query as never), isRejected)
    }
  },
})
