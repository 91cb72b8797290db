import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import type { LeaseStore } from '../../src/store/lease.js'
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

it('a claim of an unknown state is an error that names the fix, and runs nothing', async () => {
  for (const state of ['free', undefined]) {
    const leases = scriptedLeases({ claim: () => ({ state }) as never })
    await expect(leaseStore(leases).once(eventRef(), async () => expect.unreachable())).rejects.toMatchObject(
      {
        code: 'store_unavailable',
        message: expect.stringContaining(
          'claim() of the lease store resolved to an unknown state; fix: run leaseSuite on it',
        ),
      },
    )
    expect(leases.calls).toEqual(['claim key 1 60'])
  }
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
    'rejects a store without %s',
    (verb) => {
      const attempt = () => leaseStore({ ...scriptedLeases(), [verb]: undefined } as never)
      expect(attempt).toThrow(ConfigurationError)
      expect(attempt).toThrow(`invalid_store: the lease store has no ${verb}()`)
    },
  )

  it.each([undefined, null])('rejects %s', (nothing) => {
    expect(() => leaseStore(nothing as never)).toThrow(/^invalid_store/)
  })
})

it('a lease store whose verbs cannot be read is rejected by name', () => {
  const leases = {
    get claim(): never {
      throw new Error('no')
    },
  }
  const message = 'invalid_option: the lease store must be readable'
  expect(() => leaseStore(leases as never)).toThrow(
    expect.objectContaining({ code: 'invalid_option', message }),
  )
})
