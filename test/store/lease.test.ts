import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HandlerFailure } from '../../src/errors.js'
import type { Claim, LeaseStore } from '../../src/store/lease.js'
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

describe('an unseen event', () => {
  it('is claimed, processed and completed, in this order', async () => {
    const leases = scriptedLeases({ claim: async () => ({ state: 'claimed', token: 't7', attempt: 7 }) })
    const outcome = await leaseStore(leases).once(eventRef(), async (context) => {
      leases.calls.push(`work ${context.attempt} ${context.tx} ${context.signal.aborted}`)
      return 'value'
    })
    expect(outcome).toEqual({ state: 'done', value: 'value', attempt: 7 })
    expect(leases.calls).toEqual([
      'claim key 1 60',
      'work 7 undefined false',
      'complete key 1 t7 hash 1 7776000',
    ])
  })

  it('is released when its work rejects, and once rejects with the same error', async () => {
    const leases = scriptedLeases()
    const error = new Error('no')
    const once = leaseStore(leases).once(eventRef(), async () => {
      throw error
    })
    await expect(once).rejects.toBe(error)
    expect(leases.calls).toEqual(['claim key 1 60', 'release key 1 token 1'])
  })

  it('is released when its work throws synchronously', async () => {
    const leases = scriptedLeases()
    const once = leaseStore(leases).once(eventRef(), () => {
      throw new Error('at once')
    })
    await expect(once).rejects.toThrow('at once')
    expect(leases.calls.at(-1)).toBe('release key 1 token 1')
  })

  it('rejects with the work’s error even when the release is lost', async () => {
    const leases = scriptedLeases({ release: () => Promise.reject(new Error('store down')) })
    const once = leaseStore(leases).once(eventRef(), () => Promise.reject(new Error('work')))
    await expect(once).rejects.toThrow('work')
  })
})

describe('a claim whose reply arrives after its lease has expired', () => {
  it('is released, and the work does not run', async () => {
    const reply = deferred<Claim>()
    const leases = scriptedLeases({ claim: () => reply.promise })
    const once = leaseStore(leases).once(eventRef(), async () => expect.unreachable())
    await seconds(60)
    reply.resolve(claimed)
    expect(await once).toEqual({ state: 'busy', retryAfterSeconds: 1 })
    expect(leases.calls).toEqual(['claim key 1 60', 'release key 1 token 1'])
  })

  it('is measured from the claim that succeeded, not from the wait before it', async () => {
    const ref = eventRef({ durations: { ...durations, waitSeconds: 100 } })
    const answers: Claim[] = Array.from({ length: 11 }, () => ({ state: 'leased', remainingSeconds: 5 }))
    const leases = scriptedLeases({ claim: async () => answers.shift() ?? claimed })
    const once = leaseStore(leases).once(ref, async () => 'ran')
    await seconds(120)
    expect(await once).toMatchObject({ state: 'done', value: 'ran' })
  })
})

describe('an event that another process has claimed', () => {
  const never = async () => expect.unreachable()

  it('is a duplicate when it is done, with its content hash', async () => {
    const leases = scriptedLeases({ claim: async () => ({ state: 'done', contentHash: 'then' }) })
    expect(await leaseStore(leases).once(eventRef(), never)).toEqual({
      state: 'duplicate',
      contentHash: 'then',
    })
    expect(leases.calls).toEqual(['claim key 1 60'])
  })

  it('is busy when it is still leased after the wait, for the rest of the lease', async () => {
    const leases = scriptedLeases({ claim: async () => ({ state: 'leased', remainingSeconds: 37 }) })
    const once = leaseStore(leases).once(eventRef(), never)
    let settled = false
    void once.finally(() => {
      settled = true
    })
    await seconds(1.9)
    expect(settled).toBe(false)
    await seconds(0.2)
    expect(await once).toEqual({ state: 'busy', retryAfterSeconds: 37 })
    // Delays of 0.05, 0.1, 0.2, 0.4, 0.8 s and the rest of 2 s. They double, to limit the load on the store.
    expect(leases.calls.length).toBeGreaterThanOrEqual(7)
    expect(leases.calls.length).toBeLessThanOrEqual(8)
  })

  it('is busy when it is blocked, without a wait', async () => {
    const leases = scriptedLeases({ claim: async () => ({ state: 'blocked' }) })
    expect(await leaseStore(leases).once(eventRef(), never)).toEqual({ state: 'busy', retryAfterSeconds: 60 })
    expect(leases.calls).toHaveLength(1)
  })

  it('is claimed once if there is no time to wait', async () => {
    const leases = scriptedLeases({ claim: async () => ({ state: 'leased', remainingSeconds: 5 }) })
    const ref = eventRef({ durations: { ...durations, waitSeconds: 0 } })
    expect(await leaseStore(leases).once(ref, never)).toEqual({ state: 'busy', retryAfterSeconds: 5 })
    expect(leases.calls).toHaveLength(1)
  })

  it('is a duplicate if it is done during the wait', async () => {
    const answers: Claim[] = [
      { state: 'leased', remainingSeconds: 5 },
      { state: 'leased', remainingSeconds: 4 },
      { state: 'done', contentHash: 'then' },
    ]
    const leases = scriptedLeases({ claim: async () => answers.shift() as Claim })
    const once = leaseStore(leases).once(eventRef(), never)
    await seconds(0.2)
    expect(await once).toEqual({ state: 'duplicate', contentHash: 'then' })
    expect(leases.calls).toHaveLength(3)
  })

  it('is claimed if it is released during the wait', async () => {
    const answers: Claim[] = [
      { state: 'leased', remainingSeconds: 5 },
      { state: 'claimed', token: 't2', attempt: 2 },
    ]
    const leases = scriptedLeases({ claim: async () => answers.shift() as Claim })
    const once = leaseStore(leases).once(eventRef(), async () => 'ours')
    await seconds(0.04)
    expect(leases.calls).toHaveLength(1)
    await seconds(0.02)
    expect(await once).toEqual({ state: 'done', value: 'ours', attempt: 2 })
  })
})

describe('a store with transactions', () => {
  const refused = new HandlerFailure(new Error('unique constraint'))

  it('begins a transaction for the work and completes with it', async () => {
    const tx = { name: 'tx' }
    const leases: LeaseStore<typeof tx> = {
      ...scriptedLeases(),
      begin: () => tx,
      complete: vi.fn(async () => true),
    }
    const seen: unknown[] = []
    await leaseStore(leases).once(eventRef(), async (context) => seen.push(context.tx))
    expect(seen).toEqual([tx])
    expect(leases.complete).toHaveBeenCalledWith('key 1', 'token 1', 'hash 1', 7_776_000, tx)
  })

  it('releases the event immediately when it rejects the writes of the work', async () => {
    const leases = scriptedLeases({ complete: () => Promise.reject(refused) })
    await expect(leaseStore(leases).once(eventRef(), async () => {})).rejects.toBe(refused)
    expect(leases.calls.map((call) => call.split(' ')[0])).toEqual(['claim', 'complete', 'release'])
  })

  it('reports the rejection even if the release is lost', async () => {
    const release = () => Promise.reject(new Error('down'))
    const leases = scriptedLeases({ complete: () => Promise.reject(refused), release })
    await expect(leaseStore(leases).once(eventRef(), async () => {})).rejects.toBe(refused)
  })
})

describe('a store that fails', () => {
  it('does not run the work when it rejects a claim', async () => {
    const leases = scriptedLeases({ claim: () => Promise.reject(new Error('store down')) })
    const work = vi.fn(async () => {})
    await expect(leaseStore(leases).once(eventRef(), work)).rejects.toThrow('store down')
    expect(work).not.toHaveBeenCalled()
    expect(leases.calls).toEqual(['claim key 1 60'])
  })

  it('is asked to complete again when a completion is lost, because the work had its effect', async () => {
    let failures = 2
    const leases = scriptedLeases({
      complete: async () => {
        if (failures-- > 0) {
          throw new Error('connection reset')
        }
        return true
      },
    })
    const work = vi.fn(async () => 'value')
    const once = leaseStore(leases).once(eventRef(), work)
    await seconds(0.09)
    expect(leases.calls.filter((call) => call.startsWith('complete'))).toHaveLength(1)
    await seconds(0.02)
    expect(leases.calls.filter((call) => call.startsWith('complete'))).toHaveLength(2)
    await seconds(0.38)
    expect(leases.calls.filter((call) => call.startsWith('complete'))).toHaveLength(2)
    await seconds(0.02)
    expect(await once).toEqual({ state: 'done', value: 'value', attempt: 1 })
    expect(work).toHaveBeenCalledTimes(1)
  })

  it('keeps the lease until it expires when three completions are lost', async () => {
    const leases = scriptedLeases({ complete: () => Promise.reject(new Error('connection reset')) })
    const once = leaseStore(leases).once(eventRef(), async () => {})
    const rejection = expect(once).rejects.toThrow('connection reset')
    await seconds(1)
    await rejection
    expect(leases.calls.map((call) => call.split(' ')[0])).toEqual([
      'claim',
      'complete',
      'complete',
      'complete',
    ])
  })

  it('makes the run lost when another has the claim', async () => {
    const leases = scriptedLeases({ complete: async () => false })
    expect(await leaseStore(leases).once(eventRef(), async () => {})).toEqual({ state: 'lost' })
    expect(leases.calls).toHaveLength(2)
  })
})
