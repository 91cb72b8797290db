import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Claim } from '../../src/store/lease.js'
import { leaseStore } from '../../src/store/lease.js'
import { claimed, deferred, durations, eventRef, scriptedLeases } from './scripted-leases.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  // The clock of a process does not start at zero.
  vi.advanceTimersByTime(86_400_000)
})
afterEach(() => {
  vi.useRealTimers()
})

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)

describe('concurrent deliveries in one process', () => {
  it('share one run: the store is called once, and the others are duplicates', async () => {
    const leases = scriptedLeases()
    const store = leaseStore(leases)
    const gate = deferred()
    const first = store.once(eventRef(), () => gate.promise)
    const work = vi.fn(async () => {})
    const others = Array.from({ length: 50 }, () => store.once(eventRef({ contentHash: 'other' }), work))
    await seconds(1)
    gate.resolve()
    expect(await first).toMatchObject({ state: 'done' })
    for (const concurrent of others) {
      expect(await concurrent).toEqual({ state: 'duplicate', contentHash: 'hash 1' })
    }
    expect(work).not.toHaveBeenCalled()
    expect(leases.calls.map((call) => call.split(' ')[0])).toEqual(['claim', 'complete'])
  })

  it('are busy when the run takes longer than they wait', async () => {
    const store = leaseStore(scriptedLeases())
    const gate = deferred()
    const first = store.once(eventRef(), () => gate.promise)
    const concurrent = store.once(eventRef(), async () => {})
    let settled = false
    void concurrent.finally(() => {
      settled = true
    })
    await seconds(1.9)
    expect(settled).toBe(false)
    await seconds(0.2)
    expect(await concurrent).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    gate.resolve()
    await first
  })

  it.each<[string, () => Promise<unknown>, Claim]>([
    ['the work fails', () => Promise.reject(new Error('no')), claimed],
    ['another process has the claim', async () => {}, { state: 'leased', remainingSeconds: 40 }],
  ])('are busy when %s', async (_, work, claim) => {
    const store = leaseStore(scriptedLeases({ claim: async () => claim }))
    const ref = eventRef({ durations: { ...durations, waitSeconds: 0.5 } })
    const first = store.once(ref, work).catch(() => 'rejected')
    const concurrent = store.once(ref, async () => {})
    await seconds(1)
    await first
    expect(await concurrent).toEqual({ state: 'busy', retryAfterSeconds: 1 })
  })

  it('are busy when the claim was lost, because its new holder may fail', async () => {
    const store = leaseStore(scriptedLeases({ complete: async () => false }))
    const first = store.once(eventRef(), async () => {})
    const concurrent = store.once(eventRef(), async () => {})
    expect(await first).toEqual({ state: 'lost' })
    expect(await concurrent).toEqual({ state: 'busy', retryAfterSeconds: 1 })
  })

  it('are duplicates of an event that another process has done, with its content hash', async () => {
    const store = leaseStore(scriptedLeases({ claim: async () => ({ state: 'done', contentHash: 'then' }) }))
    const first = store.once(eventRef(), async () => {})
    const concurrent = store.once(eventRef(), async () => {})
    expect(await first).toEqual({ state: 'duplicate', contentHash: 'then' })
    expect(await concurrent).toEqual({ state: 'duplicate', contentHash: 'then' })
  })

  it('call the store again after the run has settled', async () => {
    const leases = scriptedLeases()
    const store = leaseStore(leases)
    await store.once(eventRef(), async () => {})
    await store.once(eventRef(), () => Promise.reject(new Error('no'))).catch(() => {})
    await store.once(eventRef(), async () => {})
    expect(leases.calls.filter((call) => call.startsWith('claim'))).toHaveLength(3)
  })

  it('call the store again when the lease may have expired, even if the run never settles', async () => {
    const leases = scriptedLeases()
    const store = leaseStore(leases)
    void store.once(eventRef(), () => new Promise(() => {}))
    await seconds(59)
    const early = store.once(eventRef({ durations: { ...durations, waitSeconds: 0.1 } }), async () => 'early')
    await seconds(0.2)
    expect(await early).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    await seconds(1)
    expect(await store.once(eventRef(), async () => 'late')).toMatchObject({ state: 'done', value: 'late' })
  })

  it('share a run by key alone', async () => {
    const store = leaseStore(scriptedLeases())
    const gate = deferred()
    const first = store.once(eventRef(), () => gate.promise)
    expect(await store.once(eventRef({ key: 'key 2' }), async () => 2)).toMatchObject({
      state: 'done',
      value: 2,
    })
    gate.resolve()
    await first
  })
})
