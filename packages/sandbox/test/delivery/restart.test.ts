import { describe, expect, it, vi } from 'vitest'
import { virtualClock } from '../../src/clock.js'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { chaosSettings, readChaos, writeChaos } from '../../src/delivery/chaos.js'
import { type Delivery, listDeliveries } from '../../src/delivery/deliveries.js'
import { replay } from '../../src/delivery/replay.js'
import { listSubscriptions } from '../../src/delivery/subscriptions.js'
import { stateFile } from '../rig.js'
import { deliveryRig, matched, nextSecond, type Received, receiver, settled } from './rig.js'

const start = Date.UTC(2030, 0, 1)

const sent = ({ body, headers }: Received) => [
  body.toString(),
  headers['service-event-id'],
  headers['service-signature'],
]

describe('after a restart with a state file', () => {
  it('attempts, next attempts, bytes and settings are as they were', async () => {
    const state = stateFile()
    const { url, received } = await receiver((response, _, count) =>
      response.writeHead(count < 3 ? 500 : 200).end(),
    )
    const clock = virtualClock({ startAt: start })
    const before = deliveryRig({ state, clock, retrySeconds: [1, 100] })
    before.subscribe({ url, events: ['*'] })
    writeChaos(before.database, chaosSettings.parse({ seed: 9 }))
    before.record(settled())
    await clock.advance(1)
    const planned = listDeliveries(before.database, { limit: 1 })[0] as Delivery
    expect(planned).toMatchObject({ attempts: 2, nextTryAt: start + 101_000 })
    const attempts = attemptsOf(before.database, planned)
    const subscriptions = listSubscriptions(before.database, { limit: 1 })
    await before.close()

    const later = virtualClock({ startAt: start + 50_000 })
    const after = deliveryRig({ state, clock: later, retrySeconds: [1, 100] })
    after.courier.wake()
    await after.courier.idle()
    expect(listDeliveries(after.database, { limit: 1 })).toEqual([planned])
    expect(attemptsOf(after.database, planned)).toEqual(attempts)
    expect(listSubscriptions(after.database, { limit: 1 })).toEqual(subscriptions)
    expect(readChaos(after.database).seed).toBe(9)
    expect(received).toHaveLength(2)
    await later.advance(51)
    expect(listDeliveries(after.database, { limit: 1 })[0]).toMatchObject({ state: 'delivered', attempts: 3 })
    expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1)
  })

  it('an attempt that was broken off is made again, and so is a replay', async () => {
    const state = stateFile()
    let isDeaf = true
    const { url, received } = await receiver((response) => {
      if (!isDeaf) {
        response.end()
      }
    })
    const before = deliveryRig({ state })
    before.subscribe({ url, events: ['*'] })
    const [event] = before.record(settled())
    const replaying = replay(before, event?.id as string)
    while (received.length < 2) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await before.close()
    await replaying.catch(() => {})
    isDeaf = false

    const after = deliveryRig({ state })
    expect(listDeliveries(after.database, { limit: 9 }).map((delivery) => delivery.attempts)).toEqual([0, 0])
    after.courier.wake()
    await after.courier.idle()
    expect(received).toHaveLength(4)
    const states = listDeliveries(after.database, { limit: 9 }).map((delivery) => delivery.state)
    expect(states).toEqual(['delivered', 'delivered'])
  })

  it('a replay sends the bytes and the identifier of the first attempt, and its signature on request', async () => {
    const state = stateFile()
    const { url, received } = await receiver()
    const before = deliveryRig({ state, envelope: 'snake_case' })
    before.subscribe({ url, events: ['*'] })
    const [event] = before.record(settled())
    await before.courier.idle()
    await before.close()

    const after = deliveryRig({ state, envelope: 'camelCase' })
    await replay(after, event?.id as string, { signature: 'original' })
    await replay(after, event?.id as string)
    const [first, original, fresh] = received as [Received, Received, Received]
    expect(sent(original)).toEqual(sent(first))
    expect([fresh.body, fresh.headers['service-event-id']]).toEqual([first.body, event?.id])
  })

  it('a replay that was broken off sends what it was asked to send', async () => {
    const state = stateFile()
    const { url, received } = await receiver((response, _, count) => count !== 2 && response.end())
    const before = deliveryRig({ state })
    before.subscribe({ url, events: ['*'] })
    const [event] = before.record(settled())
    await before.courier.idle()
    const replaying = replay(before, event?.id as string, { signature: 'original' })
    await vi.waitFor(() => expect(received).toHaveLength(2))
    await before.close()
    await replaying.catch(() => {})
    await nextSecond()

    const after = deliveryRig({ state })
    await after.courier.idle()
    expect(received).toHaveLength(3)
    expect(received.map(sent)).toEqual(Array(3).fill(sent(received[0] as Received)))
  })

  it('an event that waits for another one is still delivered after it', async () => {
    const state = stateFile()
    const { url, received } = await receiver()
    const before = deliveryRig({ state })
    before.subscribe({ url, events: ['*'] })
    const [first] = before.record({ ...settled(), delaySeconds: 0.01 })
    const [second] = before.record({ ...matched(), before: first?.id as string, delaySeconds: 0.05 })
    await before.close()
    expect(received).toHaveLength(0)

    const after = deliveryRig({ state })
    after.courier.wake()
    await after.ended(2)
    expect(received.map(({ headers }) => headers['service-event-id'])).toEqual([second?.id, first?.id])
  })
})

describe('a reset', () => {
  it('breaks off attempts under way, clears, and delivers what comes afterwards', async () => {
    let isDeaf = true
    const rig = deliveryRig()
    const { url, received } = await receiver((response) => {
      if (!isDeaf) {
        response.end()
      }
    })
    rig.subscribe({ url, events: ['*'] })
    rig.record(settled('tr_before'))
    while (received.length < 1) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    isDeaf = false
    await rig.courier.reset(() => {
      for (const table of ['attempts', 'deliveries', 'events']) {
        rig.database.exec(`DELETE FROM ${table}`)
      }
    })
    await rig.courier.idle()
    expect(listDeliveries(rig.database, { limit: 9 })).toEqual([])
    const [event] = rig.record(settled('tr_after'))
    await rig.courier.idle()
    expect(received).toHaveLength(2)
    expect(received[1]?.headers['service-event-id']).toBe(event?.id)
  })
})
