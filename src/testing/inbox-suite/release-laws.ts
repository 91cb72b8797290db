import assert from 'node:assert/strict'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { aboutBulk, audit, bulkOf } from './bulk-bench.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, anyBytes, finish, inboxOf, kept, newEvent, nothing } from './stored-event.js'

/** Laws of a quarantined delivery that is released as an event. */
export const releaseLaws = <Tx>(): Laws<Store<Tx>> => ({
  'a quarantined delivery is released once, and stays where its event is known': needs(
    'bulk',
    async ({ make }) => {
      const store = await make()
      const bulk = bulkOf(store)
      const event = newEvent()
      const { endpoint } = event
      await inboxOf(store).quarantine({
        endpoint,
        code: 'invalid_data',
        bodyHash: freshKey(),
        body: anyBytes,
      })
      const { key: delivery } = (await inboxOf(store).quarantined({ endpoint }))[0] ?? { key: '' }
      const known = await accepted(store, { endpoint })
      assert.equal(await bulk.acceptFrom(known, { delivery }, audit, nothing), 'duplicate')
      assert.equal((await inboxOf(store).quarantined({ endpoint })).length, 1)
      assert.equal(await bulk.acceptFrom(event, { delivery }, audit, nothing), 'accepted')
      assert.deepEqual(await inboxOf(store).quarantined({ endpoint }), [])
      assert.equal((await kept(store, event)).parent, undefined)
      const other = newEvent({ endpoint })
      assert.equal(await bulk.acceptFrom(other, { delivery }, audit, nothing), 'gone')
      assert.equal(await inboxOf(store).read(other.key), undefined)
      const [entry] = (await inboxOf(store).auditLog?.list({ endpoint })) ?? []
      assert.deepEqual([entry?.action, entry?.subject], ['verifyAgain', delivery])
    },
  ),

  'an event that is released from quarantine keeps the time of its delivery, also after an undo':
    aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
      const [inbox, event] = [inboxOf(store), newEvent({ endpoint })]
      const delivery = await quarantinedOne(store, endpoint)
      await pause(0.05)
      assert.equal(await bulk.acceptFrom(event, { delivery: delivery.key }, audit, nothing), 'accepted')
      const released = await kept(store, event)
      assert.equal(released.deliveredAt, delivery.receivedAt)
      assert.ok(released.receivedAt > delivery.receivedAt, 'it was received when it was released')
      await inbox.markDead(event.key, 'given up')
      assert.equal(await inbox.discard(event.key, audit, 60), true)
      assert.equal((await bulk.undo({ endpoint, key: event.key }, audit, 1)).undone, 1)
      assert.equal((await kept(store, event)).deliveredAt, delivery.receivedAt)
      const [listed] = await inbox.list({ endpoint, bodies: false })
      assert.equal(listed?.deliveredAt, delivery.receivedAt)
      const own = await accepted(store, { endpoint })
      assert.equal((await kept(store, own)).deliveredAt, undefined)
    }),

  'the release of a delivery is no arrival of its sender, in each state of the event': needs(
    'statistics',
    aboutBulk<Tx>(async ({ store, bulk, endpoint }) => {
      const statistics = capabilityOf(store, 'statistics')
      const assertLast = async (time: string, when: string) => {
        const about = { endpoint, since: new Date(Date.now() - 60_000), buckets: 1 }
        const { lastReceivedAt } = await statistics.read(about)
        const { sources } = await statistics.sources(endpoint)
        const times = [lastReceivedAt, ...sources.map((source) => source.lastReceivedAt)]
        assert.equal(times.length, 3, when)
        for (const each of times) {
          assert.ok(Math.abs(Date.parse(each ?? '') - Date.parse(time)) < 2, `${each}, not ${time}: ${when}`)
        }
      }
      const event = newEvent({ endpoint })
      const delivery = await quarantinedOne(store, endpoint)
      await pause(0.05)
      assert.equal(await bulk.acceptFrom(event, { delivery: delivery.key }, audit, nothing), 'accepted')
      await assertLast(delivery.receivedAt, 'accepted')
      await finish(store, event)
      await assertLast(delivery.receivedAt, 'done')

      // An arrival before the release counts, and so does a delivery after that arrival.
      const later = newEvent({ endpoint })
      const second = await quarantinedOne(store, endpoint)
      await pause(0.05)
      const own = await accepted(store, { endpoint })
      await finish(store, own)
      const arrived = (await kept(store, own)).receivedAt
      const third = await quarantinedOne(store, endpoint)
      await pause(0.05)
      assert.equal(await bulk.acceptFrom(later, { delivery: second.key }, audit, nothing), 'accepted')
      await assertLast(arrived, 'arrived before the release')
      await inboxOf(store).markDead(later.key, 'given up')
      await assertLast(arrived, 'dead')
      const last = newEvent({ endpoint })
      assert.equal(await bulk.acceptFrom(last, { delivery: third.key }, audit, nothing), 'accepted')
      await finish(store, last)
      await assertLast(third.receivedAt, 'delivered after the arrival')
    }),
  ),
})

/** Quarantines a delivery, and returns it. */
async function quarantinedOne(store: Store<unknown>, endpoint: string) {
  const inbox = inboxOf(store)
  await inbox.quarantine({ endpoint, code: 'invalid_data', bodyHash: freshKey(), body: anyBytes })
  const [newest] = await inbox.quarantined({ endpoint, limit: 1 })
  assert.ok(newest)
  return newest
}
