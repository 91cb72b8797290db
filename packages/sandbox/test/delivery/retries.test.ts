import { describe, expect, it } from 'vitest'
import { virtualClock } from '../../src/clock.js'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { type Delivery, listDeliveries } from '../../src/delivery/deliveries.js'
import { replay } from '../../src/delivery/replay.js'
import { retryAfterSeconds } from '../../src/delivery/retry-after.js'
import { deleteSubscription, readSubscription } from '../../src/delivery/subscriptions.js'
import { scheduleOf } from '../../src/options/retry-schedule.js'
import {
  type Answering,
  deliveryRig,
  matched,
  nextSecond,
  type RigOptions,
  receiver,
  settled,
} from './rig.js'

const start = Date.UTC(2030, 0, 1)
const week = 7 * 24 * 3600

/** Delivers one event to a receiver that answers like this, and lets a week pass. */
async function aWeekWith(answering: Answering, options: RigOptions = {}) {
  const clock = virtualClock({ startAt: start })
  const rig = deliveryRig({ clock, ...options })
  const { url, received } = await receiver(answering)
  const subscription = rig.subscribe({ url, events: ['*'] })
  rig.record(settled())
  await clock.advance(week)
  const delivery = listDeliveries(rig.database, { limit: 1 })[0] as Delivery
  const attempts = attemptsOf(rig.database, delivery)
  const seconds = attempts.map(({ startedAt }) => (startedAt - start) / 1000)
  return { rig, clock, received, subscription, delivery, attempts, seconds }
}

const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(code, headers).end()

/** The times of the attempts that follow from the pauses between them. */
function times(...pauses: number[]): number[] {
  let time = 0
  return [0, ...pauses.map((pause) => (time += pause))]
}

describe('retries', () => {
  it('follow the fast schedule of six attempts', async () => {
    const { seconds, delivery } = await aWeekWith(status(500), { retrySeconds: scheduleOf('fast') })
    expect(seconds).toEqual(times(1, 2, 5, 10, 30))
    expect(delivery).toMatchObject({ state: 'exhausted', attempts: 6, nextTryAt: undefined })
  })

  it('follow the standard schedule of ten attempts', async () => {
    const { seconds } = await aWeekWith(status(500), { retrySeconds: scheduleOf('standard') })
    const hour = 3600
    expect(seconds).toEqual(
      times(5, 300, 1800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour),
    )
  })

  it('do not happen with the schedule none', async () => {
    const { seconds, delivery } = await aWeekWith(status(500), { retrySeconds: scheduleOf('none') })
    expect(seconds).toEqual([0])
    expect(delivery.state).toBe('exhausted')
  })

  it('move by up to 10 % with jitter, each by another amount, and the same at every run', async () => {
    const pauses = [100, 100, 100, 100, 100, 100, 100, 100]
    const run = async (seed: number) =>
      (await aWeekWith(status(500), { retrySeconds: pauses, jitter: true, seed })).seconds
    const seconds = await run(1)
    const taken = seconds.slice(1).map((time, index) => time - (seconds[index] as number))
    for (const pause of taken) {
      expect(pause).toBeGreaterThanOrEqual(90)
      expect(pause).toBeLessThanOrEqual(110.001)
    }
    expect(new Set(taken).size).toBe(pauses.length)
    expect(await run(1)).toEqual(seconds)
    expect(await run(2)).not.toEqual(seconds)
  })

  it('follow pauses of your own', async () => {
    const { seconds } = await aWeekWith(status(500), { retrySeconds: scheduleOf([0, 0.25, 86_400]) })
    expect(seconds).toEqual(times(0, 0.25, 86_400))
  })

  it('stop at the first 2xx', async () => {
    const { received, delivery } = await aWeekWith((response, _, count) =>
      response.writeHead(count < 3 ? 500 : 202).end(),
    )
    expect(received).toHaveLength(3)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 3 })
  })

  it.each([200, 201, 202, 204, 226, 299])('do not follow %i, which acknowledges', async (code) => {
    const { delivery } = await aWeekWith(status(code))
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  it.each([300, 301, 302, 304, 307, 400, 401, 404, 429, 500, 503, 999])(
    'follow %i, which does not acknowledge',
    async (code) => {
      const { delivery } = await aWeekWith(status(code), { retrySeconds: [1] })
      expect(delivery).toMatchObject({ state: 'exhausted', attempts: 2 })
    },
  )

  it('send the same id and bytes with a new signature by the wall clock', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { received } = await aWeekWith(status(500))
    const after = Math.floor(Date.now() / 1000)
    expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1)
    expect(new Set(received.map(({ headers }) => headers['service-event-id'])).size).toBe(1)
    for (const { headers } of received) {
      const t = Number(/^t=(\d+),v1=[0-9a-f]{64}$/.exec(String(headers['service-signature']))?.[1])
      expect(t).toBeGreaterThanOrEqual(before)
      expect(t).toBeLessThanOrEqual(after)
    }
  })

  it('are signed again, because receivers reject an old signature', async () => {
    const clock = virtualClock({ startAt: start })
    const rig = deliveryRig({ clock, retrySeconds: [1] })
    const { url, received } = await receiver(status(500))
    rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    await rig.courier.idle()
    await nextSecond()
    await clock.advance(1)
    const [first, second] = received.map(({ headers }) => headers['service-signature'])
    expect(second).toMatch(/^t=/)
    expect(second).not.toBe(first)
  })

  it('do not follow an attempt during which the subscription was deleted', async () => {
    const rig = deliveryRig({ retrySeconds: [0.01] })
    const { url, received } = await receiver((response) => {
      deleteSubscription(rig, id)
      response.writeHead(500).end()
    })
    const { id } = rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    await rig.ended(1)
    expect(listDeliveries(rig.database, { limit: 9 })).toMatchObject([
      { state: 'canceled', attempts: 1, nextTryAt: undefined, last: { status: 500 } },
    ])
    expect(received).toHaveLength(1)
  })

  it('never go to where a redirect points', async () => {
    const elsewhere = await receiver()
    const { received } = await aWeekWith(status(302, { location: elsewhere.url }))
    expect(received).toHaveLength(6)
    expect(elsewhere.received).toHaveLength(0)
  })
})

describe('Retry-After', () => {
  it('postpones the next attempt beyond the schedule', async () => {
    const { seconds } = await aWeekWith(status(429, { 'retry-after': '120' }), { retrySeconds: [1, 200] })
    expect(seconds).toEqual(times(120, 200))
  })

  it('is read as seconds and as a date, and capped at a day', () => {
    const now = Date.UTC(2030, 0, 1)
    const date = (seconds: number) => new Date(now + seconds * 1000).toUTCString()
    const cases: [string | undefined, number | undefined][] = [
      ['0', 0],
      ['120', 120],
      [' 7 ', 7],
      [date(90), 90],
      [date(-90), 0],
      ['99999999999999', 86_400],
      [date(10 * 86_400), 86_400],
      [undefined, undefined],
      ['', undefined],
      ['-1', undefined],
      ['1.5', undefined],
      ['soon', undefined],
    ]
    for (const [value, seconds] of cases) {
      expect([value, retryAfterSeconds(value, now)]).toEqual([value, seconds])
    }
  })

  it('cannot make a retry earlier than the schedule', async () => {
    const { seconds } = await aWeekWith(status(503, { 'retry-after': '1' }), { retrySeconds: [60] })
    expect(seconds).toEqual(times(60))
  })
})

describe('410', () => {
  it('disables the subscription, ends the delivery and cancels the pending ones', async () => {
    const { rig, clock, received, subscription } = await aWeekWith((response, { body }) => {
      const { type } = JSON.parse(body.toString())
      response.writeHead(type === 'ledger.matched' ? 410 : 500).end()
    })
    rig.record(settled('tr_2'))
    await rig.courier.idle()
    rig.record(matched())
    await clock.advance(week)
    expect(readSubscription(rig.database, subscription.id)?.status).toBe('disabled')
    const states = listDeliveries(rig.database, { limit: 10 }).map(({ state }) => state)
    expect(states).toEqual(['exhausted', 'canceled', 'exhausted'])
    const sent = received.length
    rig.record(settled('tr_3'))
    await clock.advance(week)
    expect(received).toHaveLength(sent)
  })
})

describe('the option disableAfter', () => {
  const outcomes = async (limit: number, codes: readonly number[]) => {
    const rig = deliveryRig({ retrySeconds: [], disableAfter: limit })
    const { url } = await receiver((response, _, count) => response.writeHead(codes[count - 1] ?? 500).end())
    const { id } = rig.subscribe({ url, events: ['*'] })
    for (const [index] of codes.entries()) {
      rig.record(settled(`tr_${index}`))
      await rig.courier.idle()
    }
    return readSubscription(rig.database, id)?.status
  }

  it('disables a subscription after so many exhausted deliveries in a row', async () => {
    expect(await outcomes(3, [500, 500])).toBe('enabled')
    expect(await outcomes(3, [500, 500, 500])).toBe('disabled')
  })

  it('counts again from an acknowledged delivery on', async () => {
    expect(await outcomes(3, [500, 500, 200, 500, 500])).toBe('enabled')
    expect(await outcomes(3, [500, 200, 500, 500, 500])).toBe('disabled')
  })

  it('does not count replays', async () => {
    const rig = deliveryRig({ retrySeconds: [], disableAfter: 2 })
    const { url } = await receiver((response) => response.writeHead(500).end())
    const { id } = rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    await replay(rig, event?.id as string, { times: 5 })
    expect(readSubscription(rig.database, id)?.status).toBe('enabled')
  })
})
