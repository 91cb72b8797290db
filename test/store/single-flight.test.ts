import { afterEach, expect, it, vi } from 'vitest'
import { leaseStore } from '../../src/store/lease.js'
import { deferred, eventRef, scriptedLeases } from './scripted-leases.js'

afterEach(() => void vi.useRealTimers())

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
