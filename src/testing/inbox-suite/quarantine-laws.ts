import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { capabilityOf, needs } from './capabilities.js'
import { anyBytes, inboxOf, newEvent, nothing, type Words } from './stored-event.js'

const audit = { reason: 'known to the bank', actor: 'suite' }

/** Laws of the quarantine: what it keeps, counts, shows and deletes. */
export const quarantineLaws = <Tx>(_: Words<Tx>): Laws<Store<Tx>> => ({
  async 'quarantine stores the same bytes once per endpoint and counts the deliveries'({ make }) {
    const [here, there] = [await make(), await make()]
    const [endpoint, other, bodyHash] = [freshKey(), freshKey(), freshKey()]
    const unreadable = { endpoint, code: 'invalid_json', bodyHash, body: anyBytes } as const
    assert.deepEqual(await inboxOf(here).quarantine(unreadable), { state: 'quarantined' })
    await Promise.all([here, there, here].map((store) => inboxOf(store).quarantine(unreadable)))
    await inboxOf(there).quarantine({ ...unreadable, endpoint: other })
    await inboxOf(there).quarantine({
      endpoint,
      code: 'event_id_conflict',
      eventId: 'evt_1',
      bodyHash: freshKey(),
      body: new Uint8Array(),
    })

    const kept = await inboxOf(here).quarantined({ allEndpoints: true, limit: 100_000 })
    const [newest, oldest, ...rest] = kept.filter((each) => each.endpoint === endpoint)
    assert.ok(newest && oldest && rest.length === 0)
    assert.deepEqual([newest.code, newest.eventId, newest.deliveries], ['event_id_conflict', 'evt_1', 1])
    assert.deepEqual([oldest.code, oldest.eventId, oldest.deliveries], ['invalid_json', undefined, 4])
    assert.equal(oldest.bodyHash, bodyHash)
    assert.deepEqual(Uint8Array.from(oldest.body), anyBytes)
    assert.ok(Math.abs(Date.parse(oldest.receivedAt) - Date.now()) < 3_600_000)
    assert.equal(kept.filter((each) => each.endpoint === other).length, 1)
    assert.equal((await inboxOf(there).quarantined({ endpoint, limit: 1 })).length, 1)
    const ofCode = await inboxOf(there).quarantined({ endpoint, code: 'invalid_json', limit: 1 })
    assert.deepEqual(
      ofCode.map(({ bodyHash }) => bodyHash),
      [bodyHash],
    )
    for (const [eventId, codes] of [
      ['evt_1', ['event_id_conflict']],
      ['evt_2', []],
    ] as const) {
      const ofEvent = await inboxOf(there).quarantined({ endpoint, eventId })
      assert.deepEqual(
        ofEvent.map(({ code }) => code),
        codes,
      )
    }
    const ofOther = await inboxOf(there).quarantined({ endpoint: other })
    assert.deepEqual(
      ofOther.map((each) => each.endpoint),
      [other],
    )
  },

  async 'quarantine keeps the first id that it gets for the same bytes'({ make }) {
    const [here, there] = [await make(), await make()]
    const delivery = {
      endpoint: freshKey(),
      code: 'invalid_data',
      bodyHash: freshKey(),
      body: anyBytes,
    } as const
    const idAfter = async (eventId?: string) => {
      await inboxOf(here).quarantine({ ...delivery, ...(eventId !== undefined && { eventId }) })
      const [kept, ...rest] = await inboxOf(there).quarantined({ endpoint: delivery.endpoint })
      assert.ok(kept && rest.length === 0)
      return kept.eventId
    }
    assert.equal(await idAfter(), undefined)
    assert.equal(await idAfter('evt_1'), 'evt_1')
    assert.equal(await idAfter(), 'evt_1')
    assert.equal(await idAfter('evt_2'), 'evt_1')
  },

  async 'the quarantine is listed page by page, also where the last delivery of a page was discarded'({
    make,
  }) {
    const [here, there] = [await make(), await make()]
    const endpoint = freshKey()
    const hashes = Array.from({ length: 5 }, freshKey)
    for (const bodyHash of hashes) {
      await inboxOf(here).quarantine({ endpoint, code: 'invalid_json', bodyHash, body: anyBytes })
    }
    const page = async (after?: number) => {
      const found = await inboxOf(there).quarantined({ endpoint, limit: 2, after })
      return { hashes: found.map(({ bodyHash }) => bodyHash), last: found.at(-1) }
    }
    const [first, newestFirst] = [await page(), hashes.toReversed()]
    assert.deepEqual(first.hashes, newestFirst.slice(0, 2))
    assert.equal(await inboxOf(here).discard(first.last?.key as string, audit), true)
    const second = await page(first.last?.place)
    assert.deepEqual(second.hashes, newestFirst.slice(2, 4))
    assert.deepEqual((await page(second.last?.place)).hashes, newestFirst.slice(4))
    assert.deepEqual((await page(0)).hashes, [])
  },

  async 'no delivery gets the place of one that is gone'({ make }) {
    const store = await make()
    const { quarantine, quarantined, discard, pruneQuarantine } = inboxOf(store)
    const endpoint = freshKey()
    const place = async () => {
      await quarantine({ endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes })
      const [newest] = await quarantined({ endpoint, limit: 1 })
      return newest as NonNullable<typeof newest>
    }
    const first = await place()
    await discard(first.key, audit)
    const second = await place()
    assert.ok(second.place > first.place, `${second.place} after ${first.place}`)
    await pause(0.05)
    while ((await pruneQuarantine(0.001, 100)) > 0) {}
    const third = await place()
    assert.ok(third.place > second.place, `${third.place} after ${second.place}`)
    assert.deepEqual(await quarantined({ endpoint, order: 'oldest', after: second.place }), [third])
  },

  async 'the quarantine is listed oldest first if the caller asks for it'({ make }) {
    const [here, there] = [await make(), await make()]
    const endpoint = freshKey()
    const hashes = Array.from({ length: 3 }, freshKey)
    for (const bodyHash of hashes) {
      await inboxOf(here).quarantine({ endpoint, code: 'invalid_json', bodyHash, body: anyBytes })
    }
    const listed: string[] = []
    for (let after: number | undefined; ; ) {
      const [next] = await inboxOf(there).quarantined({ endpoint, order: 'oldest', limit: 1, after })
      if (!next) {
        break
      }
      listed.push(next.bodyHash)
      after = next.place
    }
    assert.deepEqual(listed, hashes)
  },

  'a quarantined delivery is read by its key': needs('readQuarantined', async ({ make }) => {
    const [here, there] = [await make(), await make()]
    const read = capabilityOf(there, 'readQuarantined').bind(inboxOf(there))
    const endpoint = freshKey()
    const delivery = { endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes } as const
    for (const over of [{ endpoint: freshKey() }, {}, { bodyHash: freshKey() }]) {
      await inboxOf(here).quarantine({ ...delivery, ...over })
    }
    const stored = await inboxOf(here).quarantined({ endpoint })
    assert.equal(stored.length, 2)
    for (const each of stored) {
      assert.deepEqual(await read(each.key), each)
    }
    const { key } = stored[0] as { key: string }
    for (const unknown of [`${endpoint}/${freshKey()}`, endpoint, freshKey(), `${key}/`]) {
      assert.equal(await read(unknown), undefined)
    }
    await inboxOf(here).discard(key, audit, 60)
    assert.equal(await read(key), undefined)
  }),

  async 'discard deletes a quarantined delivery, and reports when there is none'({ make }) {
    const [here, there] = [await make(), await make()]
    const [endpoint, other] = [freshKey(), freshKey()]
    const delivery = { endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes } as const
    await inboxOf(here).quarantine(delivery)
    await inboxOf(here).quarantine({ ...delivery, bodyHash: freshKey() })
    await inboxOf(here).quarantine({ ...delivery, endpoint: other })
    const stored = await inboxOf(here).quarantined({ endpoint })
    const [found] = stored.filter(({ bodyHash }) => bodyHash === delivery.bodyHash)
    assert.ok(found && stored.length === 2)
    assert.equal(await inboxOf(there).discard(found.key, audit), true)
    assert.equal(await inboxOf(there).discard(found.key, audit), false)
    assert.equal(await inboxOf(there).discard(freshKey(), audit), false)
    assert.equal((await inboxOf(here).quarantined({ endpoint })).length, 1)
    assert.equal((await inboxOf(here).quarantined({ endpoint: other })).length, 1)
  },

  'of operators that release one delivery, one releases it, and the others find it gone': needs(
    'bulk',
    async ({ make }) => {
      const [here, there] = [await make(), await make()]
      const event = newEvent()
      const { endpoint } = event
      const delivery = { endpoint, code: 'invalid_data', bodyHash: freshKey(), body: anyBytes } as const
      await inboxOf(here).quarantine(delivery)
      const [{ key } = { key: '' }] = await inboxOf(here).quarantined({ endpoint })
      const release = (store: Store<Tx>) =>
        capabilityOf(store, 'bulk').acceptFrom(event, { delivery: key }, audit, nothing)
      const outcomes = await Promise.all([release(here), release(there)])
      assert.deepEqual(outcomes.sort(), ['accepted', 'gone'])
      assert.equal(await release(here), 'gone')
      await inboxOf(here).quarantine(delivery)
      assert.equal(await release(there), 'duplicate')
      assert.equal((await inboxOf(here).quarantined({ endpoint })).length, 1)
    },
  ),

  async 'the quarantine is pruned by age'({ make }) {
    const store = await make()
    const endpoint = freshKey()
    const quarantine = () =>
      inboxOf(store).quarantine({ endpoint, code: 'invalid_json', bodyHash: freshKey(), body: anyBytes })
    const count = async () => (await inboxOf(store).quarantined({ endpoint })).length
    await quarantine()
    await quarantine()
    await inboxOf(store).pruneQuarantine(3600, 100)
    assert.equal(await count(), 2, 'younger than its retention')
    await pause(0.05)
    assert.equal(await inboxOf(store).pruneQuarantine(0.001, 1), 1)
    while ((await inboxOf(store).pruneQuarantine(0.001, 100)) > 0) {}
    assert.equal(await count(), 0)
  },
})
