import { describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { type Clock, virtualClock } from '../../src/clock.js'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { listEvents } from '../../src/delivery/events.js'
import { recordEvent } from '../../src/delivery/record-event.js'
import { deliveryRig, matched, named, receiver, settled, slowReceiver } from './rig.js'

describe('the outbox', () => {
  it('delivers a committed event by POST with both headers and the bytes that were stored', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    const { secret } = rig.subscribe({ url, events: ['transfer.*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    expect(received).toHaveLength(1)
    const [{ method, path, headers, body }] = received as [(typeof received)[0]]
    expect([method, path, headers['content-type']]).toEqual(['POST', '/webhooks', 'application/json'])
    expect(headers['service-event-id']).toBe(event?.id)
    expect(body.equals(event?.bodies.camelCase as Uint8Array)).toBe(true)
    expect(JSON.parse(body.toString())).toMatchObject({ id: event?.id, environment: 'sandbox' })
    await verifySignature({ body, secret, header: headers['service-signature'] })
  })

  it('delivers nothing of a transaction that is rolled back', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const change = rig.database.transaction(() => {
      recordEvent(rig, settled())
      throw new Error('the state change failed')
    })
    expect(change).toThrow('the state change failed')
    rig.courier.wake()
    await rig.courier.idle()
    expect(received).toHaveLength(0)
    expect(listEvents(rig.database, { limit: 10 })).toEqual([])
  })

  it('delivers only the types that a subscription wants, once to each subscription', async () => {
    const rig = deliveryRig()
    const [all, transfers, failures] = await Promise.all([receiver(), receiver(), receiver()])
    rig.subscribe({ url: all.url, events: ['*', 'transfer.settled'] })
    rig.subscribe({ url: transfers.url, events: ['transfer.*'] })
    rig.subscribe({ url: failures.url, events: ['transfer.failed'] })
    rig.record(settled(), matched())
    await rig.courier.idle()
    const counts = [all, transfers, failures].map(({ received }) => received.length)
    expect(counts).toEqual([2, 1, 0])
  })

  it('stores an event without copies and never delivers it', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record({ ...settled(), copies: 0 })
    await rig.courier.idle()
    expect(received).toHaveLength(0)
    expect(listEvents(rig.database, { limit: 10 })).toHaveLength(1)
  })

  it('delivers an event of two copies twice, with one id and the same bytes', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record({ ...settled(), copies: 2 })
    await rig.courier.idle()
    expect(received).toHaveLength(2)
    expect(new Set(received.map(({ headers }) => headers['service-event-id'])).size).toBe(1)
    expect(received[0]?.body.equals(received[1]?.body as Buffer)).toBe(true)
  })

  it('delivers an event before an earlier one if it must overtake it, and keeps both times', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const [first, second] = rig.database.transaction(() => {
      const held = recordEvent(rig, settled())
      return [held, recordEvent(rig, { ...matched(), before: held.id })]
    })()
    await rig.courier.idle()
    expect(received.map(({ headers }) => headers['service-event-id'])).toEqual([second?.id, first?.id])
    expect(first?.createdAt).toBeLessThanOrEqual(second?.createdAt as number)
  })

  it('does not hold an event back from a subscription that does not want the other one', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['transfer.settled'] })
    rig.database.transaction(() => {
      const held = recordEvent(rig, settled())
      recordEvent(rig, { ...matched(), before: held.id })
    })()
    await rig.courier.idle()
    expect(received).toHaveLength(1)
  })

  it('delivers an event with a delay when the clock of the sandbox has come so far', async () => {
    const clock = virtualClock()
    const rig = deliveryRig({ clock })
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record({ ...settled(), delaySeconds: 1.0005 })
    await rig.courier.idle()
    expect(received).toHaveLength(0)
    await clock.advance(2)
    expect(received).toHaveLength(1)
  })

  it('sends the representation that the subscription asks for', async () => {
    const rig = deliveryRig({ product: 'stablecoins' })
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'], envelope: 'snake_case' })
    rig.record({
      type: 'ledger.matched',
      data: { transferId: 'tr_1', metadata: { myKey: 'A' }, list: [{ aB: 1 }] },
    })
    await rig.courier.idle()
    const { product, created_at, data, createdAt } = JSON.parse(String(received[0]?.body))
    expect({ product, createdAt, data }).toEqual({
      product: 'stablecoins',
      createdAt: undefined,
      data: { transfer_id: 'tr_1', metadata: { myKey: 'A' }, list: [{ a_b: 1 }] },
    })
    expect(new Date(created_at).toISOString()).toBe(created_at)
  })

  it('keeps at most four attempts in flight to one subscription', async () => {
    const rig = deliveryRig()
    const { url, received, concurrency } = await slowReceiver(5)
    rig.subscribe({ url, events: ['*'] })
    rig.record(...Array.from({ length: 30 }, (_, i) => settled(`tr_${i}`)))
    await rig.courier.idle()
    expect(received).toHaveLength(30)
    expect(concurrency.most).toBe(4)
  })

  it('does not let a slow subscription delay another one', async () => {
    const rig = deliveryRig()
    const slow = await receiver(() => {})
    const quick = await receiver()
    rig.subscribe({ url: slow.url, events: ['*'] })
    rig.subscribe({ url: quick.url, events: ['*'] })
    rig.record(...Array.from({ length: 10 }, (_, i) => settled(`tr_${i}`)))
    await rig.ended(10)
    expect(quick.received).toHaveLength(10)
    expect(slow.received.length).toBeLessThanOrEqual(4)
  })

  it('keeps at most 256 attempts in flight in all, and delivers to every subscription', async () => {
    const rig = deliveryRig()
    const { url, received, concurrency } = await slowReceiver(20)
    for (let i = 0; i < 300; i++) {
      rig.subscribe({ url, events: ['*'] })
    }
    rig.record(settled())
    await rig.courier.idle()
    expect(received).toHaveLength(300)
    expect(concurrency.most).toBeLessThanOrEqual(256)
  })

  it('delivers to the others although the attempt that took the last place does not end', async () => {
    const rig = deliveryRig({ timeoutSeconds: 60 })
    let last = ''
    const { url, received } = await receiver((response, { path }) => path !== last && response.end())
    const all = Array.from({ length: 300 }, (_, i) => rig.subscribe({ url: `${url}/${i}`, events: ['*'] }))
    const inOrder = all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    last = new URL(inOrder[255]?.url ?? '').pathname
    rig.record(settled())
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(300)
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'misses nothing where the clock ticks at each reading: %i ms',
    async (delay) => {
      let time = 0
      const clock: Clock = {
        now: () => ++time,
        at(due, run) {
          const timer = setTimeout(() => {
            time = Math.max(time, due)
            run()
          })
          return () => clearTimeout(timer)
        },
        hold() {},
        advance: () => Promise.reject(new Error('this clock ticks by itself')),
      }
      const rig = deliveryRig({ clock })
      const { url } = await receiver()
      rig.subscribe({ url, events: ['*'] })
      rig.record({ ...settled(), delaySeconds: delay / 1000 })
      expect(await rig.ended(1)).toHaveLength(1)
    },
    5000,
  )

  it('keeps request, answer, timings and verdict of an attempt', async () => {
    const rig = deliveryRig()
    const { url, received } = await receiver((response, { headers }) => {
      response.setHeader('X-Twice', ['a', 'b'])
      response.end(JSON.stringify({ outcome: 'processed', eventId: headers['service-event-id'] }))
    })
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    const [attempt] = attemptsOf(rig.database, delivery as NonNullable<typeof delivery>)
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      cause: 'event',
      eventType: 'transfer.settled',
    })
    expect(attempt).toMatchObject({ number: 1, outcome: 'processed', faults: [] })
    expect(attempt?.failure).toBeUndefined()
    expect(attempt?.request.headers.flat()).toEqual(received[0]?.rawHeaders)
    expect(Buffer.from(attempt?.request.body ?? []).equals(event?.bodies.camelCase as Uint8Array)).toBe(true)
    expect(attempt?.response?.headers.filter(([name]) => name === 'X-Twice')).toHaveLength(2)
    const { connected = -1, sent = -1, answered = -1, ended = -1 } = attempt?.timings ?? {}
    expect([connected, sent, answered, ended]).toEqual(
      [connected, sent, answered, ended].sort((a, b) => a - b),
    )
    expect(connected).toBeGreaterThan(0)
    expect(named(rig.notices, 'started')).toEqual(['transfer.settled 1'])
    expect(rig.notices[1]).toMatchObject({ phase: 'ended', of: 6, delivery: { state: 'delivered' } })
  })
})
