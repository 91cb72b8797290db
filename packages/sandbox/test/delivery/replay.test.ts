import { describe, expect, it } from 'vitest'
import { virtualClock } from '../../src/clock.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { listEvents } from '../../src/delivery/events.js'
import { ReplayError, replay, retry } from '../../src/delivery/replay.js'
import { deleteSubscription } from '../../src/delivery/subscriptions.js'
import { deliveryRig, nextSecond, receiver, settled, slowReceiver } from './rig.js'

describe('a replay', () => {
  it('sends the same id and bytes again, with a new signature', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    await nextSecond()
    const replays = await replay(rig, event?.id as string, { times: 3 })
    expect(replays).toHaveLength(3)
    for (const delivery of replays) {
      expect(delivery).toMatchObject({ cause: 'replay', state: 'delivered', attempts: 1 })
    }
    expect(received).toHaveLength(4)
    expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['service-event-id'])).size).toBe(1)
    expect(received[1]?.headers['service-signature']).not.toBe(received[0]?.headers['service-signature'])
  })

  it('sends the signature of the first attempt again where it is asked for', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    await nextSecond()
    await replay(rig, event?.id as string, { signature: 'original' })
    expect(received[1]?.headers['service-signature']).toBe(received[0]?.headers['service-signature'])
  })

  it('with newId sends a copy of the event with a new id', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    const replays = await replay(rig, event?.id as string, { times: 2, newId: true })
    const [first, second, third] = received.map(({ body }) => JSON.parse(body.toString()))
    expect(second.id).not.toBe(first.id)
    expect(third).toEqual(second)
    expect([second.type, second.data]).toEqual([first.type, first.data])
    expect(received[1]?.headers['service-event-id']).toBe(second.id)
    expect(replays.map(({ eventId }) => eventId)).toEqual([second.id, second.id])
    expect(listEvents(rig.database, { limit: 10 }).map(({ id }) => id)).toEqual([second.id, first.id])
  })

  it('of many sends one after another, or all together beyond the limit of four', async () => {
    const rig = deliveryRig()
    const { url, received, concurrency } = await slowReceiver(50)
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record({ ...settled(), copies: 0 })
    await replay(rig, event?.id as string, { times: 3 })
    expect(concurrency.most).toBe(1)
    await replay(rig, event?.id as string, { times: 20, concurrent: true })
    expect(concurrency.most).toBeGreaterThan(4)
    expect(received).toHaveLength(23)
  })

  it('is never more than a hundred attempts in flight', async () => {
    const rig = deliveryRig()
    const { url, concurrency } = await slowReceiver(5)
    for (let i = 0; i < 3; i++) {
      rig.subscribe({ url, events: ['*'] })
    }
    const [event] = rig.record({ ...settled(), copies: 0 })
    const replays = await replay(rig, event?.id as string, { times: 100, concurrent: true })
    expect(replays).toHaveLength(300)
    expect(concurrency.most).toBeLessThanOrEqual(100)
  })

  it('that fails is not retried', async () => {
    const clock = virtualClock()
    const rig = deliveryRig({ clock })
    const { url, received } = await receiver((response) => response.writeHead(500).end())
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record({ ...settled(), copies: 0 })
    const [delivery] = await replay(rig, event?.id as string)
    await clock.advance(86_400)
    expect(delivery?.state).toBe('exhausted')
    expect(received).toHaveLength(1)
  })

  it('goes to one subscription where it is named', async () => {
    const rig = deliveryRig()
    const [one, other] = await Promise.all([receiver(), receiver()])
    rig.subscribe({ url: one.url, events: ['*'] })
    const { id } = rig.subscribe({ url: other.url, events: ['*'] })
    const [event] = rig.record({ ...settled(), copies: 0 })
    await replay(rig, event?.id as string, { subscriptionId: id })
    expect([one.received.length, other.received.length]).toEqual([0, 1])
  })

  it('that cannot be made reports the reason and changes nothing', async () => {
    const rig = deliveryRig()
    const refuses = async (code: ReplayError['code'], replay: Promise<unknown>) =>
      expect(replay).rejects.toThrow(expect.objectContaining({ name: ReplayError.name, code }))
    await refuses('event_not_found', replay(rig, 'evt_none'))
    const [event] = rig.record({ ...settled(), copies: 0 })
    const id = event?.id as string
    await refuses('no_subscription', replay(rig, id))
    rig.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    for (const times of [0, 101, 1.5, Number.NaN]) {
      await refuses('invalid_times', replay(rig, id, { times }))
    }
    await refuses('not_sent_yet', replay(rig, id, { signature: 'original' }))
    expect(listDeliveries(rig.database, { limit: 1 })).toEqual([])
  })
})

describe('a retry by hand', () => {
  it('makes an attempt before its time and goes on with the schedule', async () => {
    const clock = virtualClock()
    const rig = deliveryRig({ clock, retrySeconds: [100, 200] })
    const { url, received } = await receiver((response) => response.writeHead(500).end())
    rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    const retried = await retry(rig, delivery?.id as string)
    expect(retried).toMatchObject({ attempts: 2, nextTryAt: clock.now() + 200_000 })
    await clock.advance(199)
    expect(received).toHaveLength(2)
    await clock.advance(1)
    expect(received).toHaveLength(3)
  })

  it('makes an attempt for a delivery that is exhausted', async () => {
    const rig = deliveryRig({ retrySeconds: [] })
    const { url } = await receiver((response, _, count) => response.writeHead(count === 1 ? 500 : 200).end())
    rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    expect(delivery?.state).toBe('exhausted')
    expect(await retry(rig, delivery?.id as string)).toMatchObject({ state: 'delivered', attempts: 2 })
  })

  it('is rejected while an attempt is under way, without a subscription and for an unknown delivery', async () => {
    const rig = deliveryRig()
    let asked: (answer: () => void) => void = () => {}
    const { url } = await receiver((response) => asked(() => response.end()))
    const { id: subscriptionId } = rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    const answer = await new Promise<() => void>((resolve) => {
      asked = resolve
    })
    const id = rig.notices[0]?.delivery.id as string
    await expect(retry(rig, id)).rejects.toThrow(expect.objectContaining({ code: 'under_way' }))
    await expect(retry(rig, 'dlv_1')).rejects.toThrow(expect.objectContaining({ code: 'delivery_not_found' }))
    answer()
    await rig.courier.idle()
    deleteSubscription(rig, subscriptionId)
    await expect(retry(rig, id)).rejects.toThrow(expect.objectContaining({ code: 'no_subscription' }))
  })
})
