import { expect, test } from 'vitest'
import { Alarm } from '../../src/timing/alarm.js'
import { LazyAbort } from '../../src/timing/lazy-abort.js'
import { Shutdown } from '../../src/timing/shutdown.js'

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
  expect(work.signal.aborted).toBe(false)
  work.abort('now')
  expect([work.signal.aborted, work.signal.reason]).toEqual([true, 'now'])
})
