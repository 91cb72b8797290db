import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError, HandlerFailure } from '../../src/errors.js'
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

  it('releases the event immediately when it refuses the writes of the work', async () => {
    const leases = scriptedLeases({ complete: () => Promise.reject(refused) })
    await expect(leaseStore(leases).once(eventRef(), async () => {})).rejects.toBe(refused)
    expect(leases.calls.map((call) => call.split(' ')[0])).toEqual(['claim', 'complete', 'release'])
  })

  it('reports the refusal even if the release is lost', async () => {
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

describe('a lease store with synchronous verbs', () => {
  const leasesThat = (script: Partial<LeaseStore>) => scriptedLeases({ claim: () => claimed, ...script })
  const fail = (message: string) => () => {
    throw new Error(message)
  }
  const long = { ...durations, leaseSeconds: 30, workSeconds: 100 }

  it('works like any other', async () => {
    const leases = leasesThat({ complete: () => true })
    expect(await leaseStore(leases).once(eventRef(), async () => 1)).toMatchObject({
      state: 'done',
      value: 1,
    })
    const known = leasesThat({ claim: () => ({ state: 'done', contentHash: 'then' }) })
    expect(await leaseStore(known).once(eventRef(), async () => 1)).toEqual({
      state: 'duplicate',
      contentHash: 'then',
    })
  })

  it('is asked to complete at most three times when it throws', async () => {
    let tries = 0
    const complete = vi.fn(() => fail(`out of memory: ${++tries}`)())
    const once = leaseStore(leasesThat({ complete })).once(eventRef(), async () => 1)
    const rejected = expect(once).rejects.toThrow('out of memory: 3')
    await seconds(1)
    await rejected
    expect(complete).toHaveBeenCalledTimes(3)
  })

  it('rejects with the error of the work, or of the claim', async () => {
    for (const release of [() => true, fail('the release throws')]) {
      const once = leaseStore(leasesThat({ release })).once(eventRef(), () =>
        Promise.reject(new Error('work')),
      )
      await expect(once).rejects.toThrow('work')
    }
    await expect(
      leaseStore(leasesThat({ claim: fail('no') })).once(eventRef(), async () => 1),
    ).rejects.toThrow('no')
  })

  it.each<[string, LeaseStore['extend'], boolean]>([
    ['returns true', () => true, false],
    ['throws', fail('a beat is lost'), false],
    ['returns false', () => false, true],
  ])('is extended by a verb that %s', async (_, extend, isLost) => {
    const gate = deferred()
    let signal: AbortSignal | undefined
    const once = leaseStore(leasesThat({ extend })).once(eventRef({ durations: long }), async (context) => {
      signal = context.signal
      await gate.promise
    })
    await seconds(35)
    expect(signal?.aborted).toBe(isLost)
    gate.resolve()
    await once
  })

  it('does not run work before the call has returned', async () => {
    const order: string[] = []
    const once = leaseStore(leasesThat({})).once(eventRef(), async () => void order.push('work'))
    order.push('returned')
    await once
    expect(order).toEqual(['returned', 'work'])
  })
})

describe('a lease in use', () => {
  const long = { ...durations, leaseSeconds: 30, workSeconds: 100 }

  it('is extended while the work runs, and not afterwards', async () => {
    const leases = scriptedLeases()
    const gate = deferred()
    const once = leaseStore(leases).once(eventRef({ durations: long }), () => gate.promise)
    await seconds(35)
    expect(leases.calls).toEqual([
      'claim key 1 30',
      'extend key 1 token 1 30',
      'extend key 1 token 1 30',
      'extend key 1 token 1 30',
    ])
    gate.resolve()
    await once
    await seconds(200)
    expect(leases.calls.filter((call) => call.startsWith('extend'))).toHaveLength(3)
  })

  it('aborts the signal of the work when it is lost', async () => {
    const leases = scriptedLeases({ extend: async () => false })
    const gate = deferred()
    let signal: AbortSignal | undefined
    const once = leaseStore(leases).once(eventRef({ durations: long }), async (context) => {
      signal = context.signal
      await gate.promise
    })
    await seconds(9)
    expect(signal?.aborted).toBe(false)
    await seconds(2)
    expect(signal?.aborted).toBe(true)
    gate.resolve()
    await once
  })
})

describe('leaseStore', () => {
  it('passes on check, prune and close', async () => {
    const leases = scriptedLeases({ prune: async () => 3 })
    const store = leaseStore(leases)
    expect(await store.check()).toMatchObject({ runs: 'once' })
    expect(await store.prune(new Date(0), 5)).toBe(3)
    await store.close()
    expect(leases.calls).toEqual(['check', 'prune 1970-01-01T00:00:00.000Z 5', 'close'])
  })

  it.each(['claim', 'extend', 'complete', 'release', 'check', 'prune', 'close'])(
    'refuses a store without %s',
    (verb) => {
      const attempt = () => leaseStore({ ...scriptedLeases(), [verb]: undefined } as never)
      expect(attempt).toThrow(ConfigurationError)
      expect(attempt).toThrow(`invalid_store: the lease store has no ${verb}()`)
    },
  )

  it.each([undefined, null])('refuses %s', (nothing) => {
    expect(() => leaseStore(nothing as never)).toThrow(/^invalid_store/)
  })
})
