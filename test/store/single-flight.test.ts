import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it, vi } from 'vitest'
import { leaseStore } from '../../src/store/lease.js'
import { SingleFlight } from '../../src/store/single-flight.js'
import { deferred, eventRef, scriptedLeases } from './scripted-leases.js'

afterEach(() => void vi.useRealTimers())

it('a delivery asks the store again as soon as the lease of the concurrent one may have ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const leases = scriptedLeases()
  const store = leaseStore(leases)
  const gate = deferred()
  const event = eventRef()
  const first = store.once(event, () => gate.promise)
  await vi.advanceTimersByTimeAsync(event.durations.leaseSeconds * 1000)
  expect(await store.once(event, async () => 'ran')).toMatchObject({ state: 'done', value: 'ran' })
  gate.resolve()
  await first
})

it('a delivery of another event does not end the share of a run', async () => {
  const store = leaseStore(scriptedLeases())
  const gate = deferred()
  const first = store.once(eventRef(), () => gate.promise)
  await store.once(eventRef({ key: 'key 2' }), async () => {})
  const concurrent = store.once(eventRef(), async () => expect.unreachable())
  gate.resolve()
  await first
  expect(await concurrent).toEqual({ state: 'duplicate', contentHash: 'hash 1' })
})

it('runs that never settle are not kept in memory after their time', async () => {
  const flights = new SingleFlight()
  const runs = Array.from({ length: 3 }, (_, i) => {
    const run = new Promise<never>(() => {})
    void flights.join(eventRef({ key: `key ${i}` }), 0, () => run)
    return new WeakRef(run)
  })
  void flights.join(eventRef({ key: 'the next' }), 60, () => new Promise(() => {}))
  setFlagsFromString('--expose-gc')
  await expect
    .poll(() => {
      runInNewContext('gc')()
      return runs.filter((run) => run.deref()).length
    })
    .toBe(0)
})

it.each([
  ['ends well', async () => 1],
  ['fails', () => Promise.reject(new Error('failed'))],
])('a delivery that waits for a concurrent one leaves no timer behind when that one %s', async (_, end) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const store = leaseStore(scriptedLeases())
  const gate = deferred()
  const first = store.once(eventRef(), () => gate.promise.then(end)).catch(() => {})
  const concurrent = store.once(eventRef(), async () => {})
  gate.resolve()
  await Promise.all([first, concurrent])
  expect(vi.getTimerCount()).toBe(0)
})
