import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Heartbeat } from '../../src/store/heartbeat.js'
import { deferred, durations } from './scripted-leases.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  // The clock of a process does not start at zero.
  vi.advanceTimersByTime(86_400_000)
})
afterEach(() => {
  vi.useRealTimers()
})

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)
const long = { ...durations, leaseSeconds: 30, workSeconds: 50 }

describe('a heartbeat', () => {
  it.each([
    [60, 10, 0],
    [60, 30, 0],
    [60, 31, 1],
    [30, 50, 1],
  ])('of a lease of %d s over work of %d s starts %d timers', (leaseSeconds, workSeconds, timers) => {
    const heartbeat = new Heartbeat(
      { ...durations, leaseSeconds, workSeconds },
      async () => true,
      1,
      undefined,
    )
    expect(vi.getTimerCount()).toBe(timers)
    heartbeat.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('beats three times per lease, until the time of the work is up', async () => {
    const extend = vi.fn(async () => true)
    new Heartbeat(long, extend, 1, undefined)
    await seconds(9.9)
    expect(extend).toHaveBeenCalledTimes(0)
    await seconds(0.2)
    expect(extend).toHaveBeenCalledTimes(1)
    await seconds(40)
    expect(extend).toHaveBeenCalledTimes(5)
    await seconds(500)
    expect(extend).toHaveBeenCalledTimes(5)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not beat without a pause for a lease that is longer than a timer can wait', async () => {
    const extend = vi.fn(async () => true)
    const years = { ...durations, leaseSeconds: 1e9, workSeconds: 1e9 }
    const heartbeat = new Heartbeat(years, extend, 1, undefined)
    await seconds(60)
    expect(extend).not.toHaveBeenCalled()
    heartbeat.stop()
  })

  it('continues after a failed beat, because the next may come before the lease expires', async () => {
    const extend = vi.fn(async () => true).mockRejectedValueOnce(new Error('store down'))
    const heartbeat = new Heartbeat(long, extend, 1, undefined)
    await seconds(25)
    expect(extend).toHaveBeenCalledTimes(2)
    expect(heartbeat.signal.aborted).toBe(false)
    heartbeat.stop()
  })

  it('ends with the reason when another has the claim', async () => {
    const extend = vi.fn(async () => false)
    const heartbeat = new Heartbeat(long, extend, 1, undefined)
    await seconds(100)
    expect(extend).toHaveBeenCalledTimes(1)
    expect(heartbeat.signal.aborted).toBe(true)
    expect(heartbeat.signal.reason).toEqual(new Error('the claim passed to another holder'))
  })

  it('does not beat after stop, even if a beat was in progress', async () => {
    const answer = deferred<boolean>()
    const extend = vi.fn(() => answer.promise)
    const heartbeat = new Heartbeat(long, extend, 1, undefined)
    await seconds(10)
    expect(extend).toHaveBeenCalledTimes(1)
    heartbeat.stop()
    answer.resolve(true)
    await seconds(100)
    expect(extend).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
