import { expect, test, vi } from 'vitest'
import { Alarm } from '../../src/timing/alarm.js'
import { Deadline } from '../../src/timing/deadline.js'
import { LazyAbort } from '../../src/timing/lazy-abort.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { UnderWay } from '../../src/timing/under-way.js'

/** How many timers keep this process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('an alarm that rang before the wait ends that wait, and no other', async () => {
  const alarm = new Alarm()
  alarm.ring()
  alarm.ring()
  expect(await alarm.wait(3600)).toBe(true)
  expect(await alarm.wait(0.001)).toBe(false)
})

test('an alarm that rings ends the wait, and leaves no timer', async () => {
  const before = timers()
  const alarm = new Alarm()
  const waiting = alarm.wait(3600)
  expect(timers()).toBe(before + 1)
  alarm.ring()
  expect(await waiting).toBe(true)
  expect(timers()).toBe(before)
  expect(await alarm.wait(0.001)).toBe(false)
})

test('an alarm counts in seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const ended = vi.fn()
    void new Alarm().wait(5).then(ended)
    await vi.advanceTimersByTimeAsync(4999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledExactlyOnceWith(false)
  } finally {
    vi.useRealTimers()
  }
})

test('work is under way until its promise settles either way', async () => {
  const underWay = new UnderWay()
  const ends: ((end: Promise<void>) => void)[] = []
  for (let i = 0; i < 2; i++) {
    underWay.track(new Promise<void>((resolve) => ends.push(resolve)))
  }
  const idle = vi.fn()
  const none = underWay.none().then(idle)
  ends[0]?.(Promise.reject(new Error('failed')))
  await new Promise(setImmediate)
  expect(idle).not.toHaveBeenCalled()
  ends[1]?.(Promise.resolve())
  await none
  await underWay.none()
})

test('a shutdown ends every sleep, and leaves no timer', async () => {
  const before = timers()
  const shutdown = new Shutdown()
  const sleeping = [shutdown.sleep(3600), shutdown.sleep(3600)]
  expect(timers()).toBe(before + 2)
  expect(shutdown.hasBegun).toBe(false)
  shutdown.begin()
  await Promise.all(sleeping)
  expect(shutdown.hasBegun).toBe(true)
  expect(timers()).toBe(before)
  await shutdown.sleep(3600)
})

test('a sleep ends after its time', async () => {
  const shutdown = new Shutdown()
  await shutdown.sleep(0.01)
  expect(shutdown.hasBegun).toBe(false)
})

test('a sleep keeps the process alive unless it is told not to', async () => {
  const before = timers()
  const shutdown = new Shutdown()
  const sleeping = shutdown.sleep(3600, { keepsProcess: false })
  expect(timers()).toBe(before)
  shutdown.begin()
  await sleeping
})

test('a listener hears of a shutdown once, also when it comes late', () => {
  const shutdown = new Shutdown()
  let heard = 0
  shutdown.onBegin(() => heard++)
  expect(heard).toBe(0)
  shutdown.begin()
  expect(heard).toBe(1)
  shutdown.onBegin(() => heard++)
  expect(heard).toBe(2)
})

test('a signal that is read after the abort is aborted, with the first reason', () => {
  const work = new LazyAbort()
  expect(work.aborted).toBe(false)
  work.abort('first')
  work.abort('second')
  expect([work.aborted, work.signal.aborted, work.signal.reason]).toEqual([true, true, 'first'])
})

test('a signal that is read before the abort is aborted by it', () => {
  const work = new LazyAbort()
  const { signal } = work
  expect(signal.aborted).toBe(false)
  expect(work.signal, 'every reader gets the same one').toBe(signal)
  work.abort('now')
  expect([signal.aborted, signal.reason]).toEqual([true, 'now'])
})

test('a deadline counts from its start, and its signal aborts when it is over', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  try {
    const deadline = new Deadline(10)
    vi.advanceTimersByTime(9000)
    const never = new Promise<string>(() => {})
    const raced = deadline.race(never, () => 'late')
    expect(await deadline.race(Promise.resolve('in time'), () => 'late')).toBe('in time')
    vi.advanceTimersByTime(999)
    expect(deadline.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await raced).toBe('late')
    expect(deadline.signal.reason).toEqual(new Error('not done within 10 s'))
    const over = deadline.race(never, () => 'over')
    vi.advanceTimersByTime(0)
    expect(await over).toBe('over')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a wait that is too long for a timer ends with the longest timer, and not immediately', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  try {
    const ends: string[] = []
    const year = 365 * 86_400
    void new Shutdown().sleep(year).then(() => ends.push('sleep'))
    void new Deadline(year).race(new Promise<string>(() => {}), () => 'late').then((end) => ends.push(end))
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toEqual(['sleep', 'late'])
  } finally {
    vi.useRealTimers()
  }
})
