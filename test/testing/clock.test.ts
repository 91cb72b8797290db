import { describe, expect, it } from 'vitest'
import { createReceiver, memoryStore } from '../../src/index.js'
import { manualClock, testSecret, testSender } from '../../src/testing/index.js'

const day = 86_400

describe('a manual clock', () => {
  it('stands still, advances and jumps', () => {
    const { now, advance, set } = manualClock(100)
    expect([now(), now()]).toEqual([100, 100])
    advance(0.5)
    expect(now()).toBe(100.5)
    advance(-100.5)
    expect(now()).toBe(0)
    set(7)
    expect(now()).toBe(7)
  })

  it('rejects an invalid time', () => {
    const clock = manualClock()
    expect(() => manualClock(Number.NaN)).toThrow('invalid_option: manualClock takes')
    expect(() => clock.advance(Number.POSITIVE_INFINITY)).toThrow('invalid_option: manualClock takes')
    expect(() => clock.set(Number.NaN)).toThrow('invalid_option: manualClock takes')
    expect(clock.now()).toBe(1_700_000_000)
  })

  it('is the time of a receiver, of its store and of the sender', async () => {
    const clock = manualClock()
    const runs: string[] = []
    const receiver = createReceiver({
      secret: testSecret,
      store: memoryStore({ now: clock.now }),
      now: clock.now,
      retentionSeconds: 30 * day,
      fallback: ({ id }) => runs.push(id),
      logger: false,
    })
    const sender = testSender({ receiver, now: clock.now })
    const first = await sender.send('transfer.settled')
    expect(first.outcome).toBe('processed')

    clock.advance(300)
    expect((await sender.deliver(first.delivery)).outcome).toBe('duplicate')
    clock.advance(1)
    expect((await sender.deliver(first.delivery)).code).toBe('timestamp_out_of_tolerance')
    expect((await sender.redeliver(first)).outcome).toBe('duplicate')

    clock.advance(30 * day)
    expect((await sender.redeliver(first)).outcome).toBe('processed')
    expect(runs).toHaveLength(2)
  })
})
