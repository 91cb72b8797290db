import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CircuitTimer } from '../../src/flow/circuit-timer.js'

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const circuit = (seconds?: number, isHolding = true) => ({
  type: 'transfer.settled',
  fingerprint: 'one cause',
  failures: 3,
  isOnTrial: false,
  isHolding,
  ...(seconds !== undefined && { retryAt: new Date(Date.now() + seconds * 1000).toISOString() }),
})

function watching(...circuits: readonly ReturnType<typeof circuit>[]) {
  const ring = vi.fn()
  const timer = new CircuitTimer(ring)
  timer.watch(circuits)
  return { timer, ring }
}

test('the timer rings just after the first circuit allows a trial', () => {
  const { ring } = watching(circuit(9), circuit(4), circuit(7))
  vi.advanceTimersByTime(4049)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(ring).toHaveBeenCalledTimes(1)
})

test('the timer rings again until it gets other circuits, because the store may not have answered', () => {
  const { timer, ring } = watching(circuit(4))
  vi.advanceTimersByTime(4050 + 2 * 5000)
  expect(ring).toHaveBeenCalledTimes(3)
  timer.watch([])
  vi.advanceTimersByTime(60_000)
  expect(ring).toHaveBeenCalledTimes(3)
})

test.each([-3600, 3600])('a clock that is turned by %s s delays the timer by at most 5 s', (turn) => {
  const circuits = [circuit(2)]
  vi.setSystemTime(Date.now() + turn * 1000)
  const { ring } = watching(...circuits)
  vi.advanceTimersByTime(5000)
  expect(ring).toHaveBeenCalled()
})

test('a circuit that holds nothing back, or has no time, rings nothing', () => {
  watching(circuit(5, false), circuit(), circuit(undefined, false))
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['a time that is over', -60, 1000],
  ['a time in a moment', 0.5, 1000],
  ['a time that is far away', 400 * 86_400, 5000],
])('%s (%s s) rings after %s ms', (_, seconds, wait) => {
  const { ring } = watching(circuit(seconds))
  vi.advanceTimersByTime(wait - 1)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(ring).toHaveBeenCalledTimes(1)
})

test('other circuits replace the earlier ones, and the end replaces all', () => {
  const { timer, ring } = watching(circuit(2))
  timer.watch([circuit(4.5)])
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(4500)
  expect(ring).not.toHaveBeenCalled()
  timer.watch([])
  expect(vi.getTimerCount()).toBe(0)
  timer.watch([circuit(5)])
  timer.end()
  expect(vi.getTimerCount()).toBe(0)
  timer.watch([circuit(5)])
  expect(vi.getTimerCount()).toBe(0)
})

test('the timer keeps no process alive', () => {
  vi.useRealTimers()
  const before = timers()
  const { timer } = watching(circuit(60))
  expect(timers()).toBeLessThanOrEqual(before)
  timer.end()
})
