import { describe, expect, it } from 'vitest'
import { realClock, virtualClock } from '../src/clock.js'

const start = Date.UTC(2030, 0, 1)

describe('a virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = virtualClock({ startAt: start })
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(clock.now()).toBe(start)
    await clock.advance(1.5)
    expect(clock.now()).toBe(start + 1500)
  })

  it('makes calls in the order of their times, each at its own time', async () => {
    const clock = virtualClock({ startAt: start })
    const calls: [string, number][] = []
    const note = (name: string) => () => calls.push([name, clock.now() - start])
    clock.at(start + 2000, note('second'))
    clock.at(start + 1000, note('first'))
    clock.at(start + 2000, note('third'))
    clock.at(start + 9000, note('later'))
    await clock.advance(5)
    expect(calls).toEqual([
      ['first', 1000],
      ['second', 2000],
      ['third', 2000],
    ])
  })

  it('makes a call that an earlier call asks for within the same advance', async () => {
    const clock = virtualClock({ startAt: start })
    const times: number[] = []
    const repeat = () => {
      times.push((clock.now() - start) / 1000)
      clock.at(clock.now() + 10_000, repeat)
    }
    clock.at(start + 10_000, repeat)
    await clock.advance(35)
    expect(times).toEqual([10, 20, 30])
  })

  it('waits for a call and for held work before it advances', async () => {
    const clock = virtualClock({ startAt: start })
    const seen: string[] = []
    const slowly = (name: string) =>
      new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
        seen.push(`${name} at ${clock.now() - start}`)
      })
    clock.at(start + 1000, () => slowly('call'))
    clock.at(start + 2000, () => clock.hold(slowly('held')))
    await clock.advance(60)
    expect(seen).toEqual(['call at 1000', 'held at 2000'])
  })

  it('makes a call that is already due without an advance', async () => {
    const clock = virtualClock({ startAt: start })
    await new Promise<void>((resolve) => {
      clock.at(start, resolve)
    })
    expect(clock.now()).toBe(start)
  })

  it('does not make a canceled call', async () => {
    const clock = virtualClock({ startAt: start })
    const calls: string[] = []
    const cancel = clock.at(start + 1000, () => calls.push('canceled'))
    clock.at(start + 1000, () => calls.push('kept'))
    cancel()
    await clock.advance(2)
    expect(calls).toEqual(['kept'])
  })

  it('adds up advances that overlap', async () => {
    const clock = virtualClock({ startAt: start })
    await Promise.all([clock.advance(10), clock.advance(20)])
    expect(clock.now()).toBe(start + 30_000)
  })

  it('rejects a negative or invalid duration', async () => {
    const clock = virtualClock({ startAt: start })
    for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e16]) {
      await expect(clock.advance(seconds)).rejects.toThrow(RangeError)
    }
    expect(clock.now()).toBe(start)
  })
})

describe('a real clock', () => {
  it('makes calls as time passes', async () => {
    const clock = realClock()
    const before = clock.now()
    const at = await new Promise<number>((resolve) => {
      clock.at(before + 20, () => resolve(clock.now()))
    })
    expect(at).toBeGreaterThanOrEqual(before + 20)
  })

  it('jumps ahead of the system clock when it is advanced, and runs on from there', async () => {
    const clock = realClock()
    const before = clock.now()
    const calls: string[] = []
    clock.at(before + 3_600_000, () => calls.push('in an hour'))
    await clock.advance(7200)
    expect(calls).toEqual(['in an hour'])
    expect(clock.now()).toBeGreaterThanOrEqual(before + 7_200_000)
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + 10, resolve)
    })
  })
})
