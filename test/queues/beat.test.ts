import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aliveSeconds, beatRegularly, beatSeconds } from '../../src/flow/beat.js'
import { FlowGate } from '../../src/flow/flow-gate.js'
import type { FlowStore, WorkerBeat } from '../../src/store/flow-store.js'
import { Shutdown } from '../../src/timing/shutdown.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const noHolds = { pauses: [], circuits: [], hasOpenRun: false }

/** A process that reports to a store, which answers with `reply`. */
function beating(reply: (beat: WorkerBeat) => Promise<typeof noHolds>, leave = async () => {}) {
  const left = vi.fn(leave)
  const beat = vi.fn(reply)
  const gate = new FlowGate(
    { endpoint: 'e', limits: { perResource: { concurrency: 1 } }, trialSeconds: 1, leaseSeconds: 1 },
    undefined,
    () => {},
  )
  const shutdown = new Shutdown()
  const onOpenRun = vi.fn()
  const store = { beat, leave: left } as unknown as FlowStore
  const ended = beatRegularly(store, { endpoint: 'e', version: 'v2' }, gate, onOpenRun, shutdown)
  return { beat, left, gate, shutdown, onOpenRun, ended }
}

test('a process reports every 20 seconds under one id, and leaves at its end', async () => {
  const { beat, left, shutdown, ended } = beating(
    async () => noHolds,
    () => Promise.reject(new Error('the store is down')),
  )
  await vi.advanceTimersByTimeAsync(19_999)
  expect(beat).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(beat).toHaveBeenCalledTimes(2)
  const [first, second] = beat.mock.calls.map(([report]) => report)
  expect(first).toEqual({
    endpoint: 'e',
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    process: `${hostname()}:${process.pid}`,
    version: 'v2',
    limited: { types: [], resources: [], running: 0 },
  })
  expect(second).toEqual(first)
  shutdown.begin()
  await ended
  expect(left).toHaveBeenCalledExactlyOnceWith('e', first?.id)
  expect(beat).toHaveBeenCalledTimes(2)
})

test('a process repeats a report that failed soon, so that two short locks do not make it look ended', async () => {
  const isLocked = () => (now > 15 && now < 25) || (now > 35 && now < 45)
  const reportedAt: number[] = []
  let now = 0
  const { beat, shutdown, ended } = beating(async () => {
    if (isLocked()) {
      throw new Error('the database is locked')
    }
    reportedAt.push(now)
    return noHolds
  })
  for (; now < 90; now++) {
    await vi.advanceTimersByTimeAsync(1000)
  }
  const gaps = reportedAt.slice(1).map((at, i) => at - (reportedAt[i] as number))
  expect(Math.max(...gaps)).toBeLessThan(aliveSeconds / 2)
  expect(beat.mock.calls.length).toBeLessThan(30)
  shutdown.begin()
  await ended
})

test('a process that must repeat its report ends immediately', async () => {
  const { beat, left, shutdown, ended } = beating(() => Promise.reject(new Error('the store is down')))
  await vi.advanceTimersByTimeAsync(500)
  expect(beat).toHaveBeenCalledTimes(1)
  shutdown.begin()
  await ended
  expect(beat).toHaveBeenCalledTimes(1)
  expect(left).toHaveBeenCalledTimes(1)
})

test('a report names a hundred resources at most', async () => {
  const { beat, gate, shutdown, ended } = beating(async () => noHolds)
  const running: Promise<void>[] = []
  let end = () => {}
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  for (let i = 0; i < 101; i++) {
    const job = { key: `k${i}`, type: 't', endpoint: 'e', generation: 0, resource: `r${i}` }
    running.push(gate.run(job, () => work))
    await gate.run(job, () => work).catch(({ reason }) => expect(reason).toBe('rate_limited'))
  }
  expect(gate.limited().resources).toHaveLength(101)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(beat.mock.calls[1]?.[0].limited.resources).toEqual(Array.from({ length: 100 }, (_, i) => `r${i}`))
  end()
  await Promise.all(running)
  shutdown.begin()
  await ended
})

test('a reply says whether a bulk run is open, and what is held back', async () => {
  const pause = { endpoint: 'e', reason: 'r', actor: 'a', pausedAt: '2026-01-01T00:00:00Z' }
  let reply: typeof noHolds = noHolds
  const { gate, onOpenRun, shutdown, ended } = beating(async () => reply)
  await vi.advanceTimersByTimeAsync(0)
  expect(onOpenRun).not.toHaveBeenCalled()
  reply = { pauses: [pause] as never, circuits: [], hasOpenRun: true }
  await vi.advanceTimersByTimeAsync(20_000)
  expect(onOpenRun).toHaveBeenCalledTimes(1)
  const job = { key: 'k', type: 't', endpoint: 'e', generation: 0 }
  await expect(gate.run(job, async () => {})).rejects.toMatchObject({ reason: 'paused' })
  shutdown.begin()
  await ended
})

test('the pause between two reports keeps no process alive, and is a third of what a process may miss', async () => {
  vi.useRealTimers()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const { shutdown, ended, beat } = beating(async () => noHolds)
  await new Promise(setImmediate)
  expect(beat).toHaveBeenCalledTimes(1)
  expect(timers()).toBeLessThanOrEqual(before)
  shutdown.begin()
  await ended
  expect(aliveSeconds).toBe(3 * beatSeconds)
})
