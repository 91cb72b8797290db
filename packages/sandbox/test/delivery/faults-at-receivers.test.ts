import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { attemptsOf } from '../../src/delivery/attempts.js'
import { chaosSettings, diceFor, draw, writeChaos } from '../../src/delivery/chaos.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { stateFile } from '../rig.js'
import { deliveryRig, receiver, settled } from './rig.js'

const always = { probability: 1 }

describe('a corrupted signature', () => {
  it('has one other digit, whatever the digit was', async () => {
    const scheme = { encoding: 'hex' } as const
    const rig = deliveryRig({ retrySeconds: [], scheme })
    writeChaos(rig.database, chaosSettings.parse({ all: { corruptSignature: always } }))
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record(...Array.from({ length: 80 }, (_, at) => settled(`tr_${at}`)))
    await rig.courier.idle()
    const digits = received.map(({ headers }) => {
      const [, digit] = /^t=\d+,v1=([0-9a-f])[0-9a-f]{63}$/.exec(String(headers['service-signature'])) ?? []
      return digit
    })
    expect(new Set(digits)).toEqual(new Set(['0', '1']))
  })
})

describe('a fault of the upload', () => {
  it.each(['truncate', 'reset', 'trickle'] as const)(
    '%s is not named where the receiver does not listen',
    async (fault) => {
      const rig = deliveryRig({ retrySeconds: [] })
      const settings = fault === 'trickle' ? { ...always, seconds: 0.1 } : always
      writeChaos(rig.database, chaosSettings.parse({ all: { [fault]: settings } }))
      const { url, server } = await receiver()
      await new Promise((resolve) => server.close(resolve))
      rig.subscribe({ url, events: ['*'] })
      rig.record(settled())
      await rig.courier.idle()
      const [delivery] = listDeliveries(rig.database, { limit: 1 })
      const [attempt] = attemptsOf(rig.database, delivery as never)
      expect(attempt).toMatchObject({ faults: [fault], failure: { kind: 'refused' }, response: undefined })
    },
  )

  it.each([
    [
      'truncate',
      { kind: 'chaos', code: 'truncate', message: 'the connection was closed after half of the body' },
    ],
    ['reset', { kind: 'chaos', code: 'reset', message: 'the connection was closed after half of the body' }],
    ['drop', { kind: 'chaos', code: 'drop', message: 'the attempt was not sent' }],
    ['dropAnswer', { kind: 'chaos', code: 'dropAnswer', message: 'the response was discarded' }],
  ] as const)('%s is told as such', async (fault, failure) => {
    const rig = deliveryRig({ retrySeconds: [] })
    writeChaos(rig.database, chaosSettings.parse({ all: { [fault]: always } }))
    const { url } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    const [event] = rig.record(settled())
    await rig.courier.idle()
    const [delivery] = listDeliveries(rig.database, { limit: 1 })
    const [attempt] = attemptsOf(rig.database, delivery as never)
    expect(attempt?.failure).toEqual(failure)
    const whole = event?.bodies.camelCase.length ?? 0
    const sent = { truncate: Math.floor(whole / 2), reset: Math.floor(whole / 2), drop: 0, dropAnswer: whole }
    expect(attempt?.request.body).toHaveLength(sent[fault])
    expect(delivery).toMatchObject({ state: 'exhausted', last: { faults: [fault], failure: 'chaos' } })
    if (fault === 'drop') {
      expect(attempt?.timings).toEqual({ ended: 0 })
    }
  })
})

describe('the dice', () => {
  const dice = diceFor(
    chaosSettings.parse({
      seed: 3,
      all: { drop: { probability: 0.5 }, skew: { probability: 1, seconds: 2 } },
      subscriptions: { whe_1: { drop: { probability: 0 } }, toString: { drop: always } },
    }),
    'whe_1',
  )

  it('fall by the settings of the subscription, and otherwise by those of all', () => {
    expect(dice.faults).toEqual({ drop: { probability: 0 }, skew: { probability: 1, seconds: 2 } })
    const others = diceFor(chaosSettings.parse({ all: { drop: always } }), 'constructor')
    expect(others.faults).toEqual({ drop: always })
  })

  it('never show a fault with the probability 0 or without one, and always one with 1', () => {
    const all = Array.from({ length: 200 }, (_, at) => at)
    expect(all.some((at) => dice.happens('drop', at, 1) || dice.happens('reset', at, 1))).toBe(false)
    expect(all.every((at) => dice.happens('skew', at, 1))).toBe(true)
  })

  it('depend on the seed, the delivery, the attempt and the fault alone', () => {
    expect(draw('a', 1)).toBe(draw('a', 1))
    const amounts = [
      dice.amount('skew', 1, 1),
      dice.amount('skew', 2, 1),
      dice.amount('skew', 1, 2),
      dice.amount('drop', 1, 1),
    ]
    expect(new Set(amounts).size).toBe(4)
    expect(amounts.every((amount) => amount >= 0 && amount < 1)).toBe(true)
    expect(dice.amount('skew', 1, 1)).toBe(draw(3, 'skew', 1, 1, 'amount'))
  })
})

describe('latency', () => {
  it('is as long as it says, and a random part longer', async () => {
    const timesOf = async (latency: object) => {
      const rig = deliveryRig({ retrySeconds: [] })
      writeChaos(rig.database, chaosSettings.parse({ all: { latency: { probability: 1, ...latency } } }))
      const { url } = await receiver()
      rig.subscribe({ url, events: ['*'] })
      const start = performance.now()
      rig.record(settled())
      await rig.courier.idle()
      return performance.now() - start
    }
    expect(await timesOf({ seconds: 0.15 })).toBeGreaterThan(145)
    const random = await timesOf({ seconds: 0, randomSeconds: 2 })
    const amount = draw(1, 'latency', 1, 1, 'amount')
    expect(random).toBeGreaterThan(amount * 2000 - 5)
    expect(random).toBeLessThan(amount * 2000 + 30_000)
  })

  it('ends with the sandbox', async () => {
    const rig = deliveryRig()
    writeChaos(rig.database, chaosSettings.parse({ all: { latency: { probability: 1, seconds: 60 } } }))
    const { url, received } = await receiver()
    rig.subscribe({ url, events: ['*'] })
    rig.record(settled())
    await expect.poll(() => rig.notices.length).toBe(1)
    await rig.close()
    expect(received).toEqual([])
  })
})

it('a state file has a log of its own beside it, so that a commit survives', () => {
  const state = stateFile()
  const rig = deliveryRig({ state })
  rig.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
  expect(existsSync(`${state}-wal`)).toBe(true)
})
