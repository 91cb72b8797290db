import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoreError } from '../../src/errors.js'
import type { Claim } from '../../src/store/lease.js'
import { memoryLeases } from '../../src/stores/memory.js'
import type { Awaitable } from '../../src/timing/awaitable.js'
import { runs } from '../fuzz-runs.js'

/** Digests of which some share a bucket or differ in one digit, and texts that only look like digests. */
const texts = [
  ...Array.from({ length: 6 }, (_, n) => String(n).repeat(56).concat('0123abcd')),
  '0'.repeat(64),
  'f'.repeat(64),
  `${'f'.repeat(63)}e`,
  `e${'f'.repeat(63)}`,
  '80000000'.repeat(8),
  'F'.repeat(64),
  'f'.repeat(65),
  'f'.repeat(63),
  `${'f'.repeat(63)}g`,
  `${'0'.repeat(63)}/`,
  `${'0'.repeat(63)}\u0130`,
  '',
  '\0',
  'evt_1',
  'évt_🦊',
  '\ud800',
  '\ud801',
  'a'.repeat(2048),
]

/** A simple model of the store. */
function model(maxEvents: number, now: () => number) {
  const leases = new Map<string, { attempt: number; token: string; span: number; until: number }>()
  let done: { key: string; token: string; contentHash: string; at: number; until: number }[] = []
  const last = (key: string) => done.findLast((each) => each.key === key)
  const find = (key: string) => {
    const found = last(key)
    return found && !(found.until <= now()) ? found : undefined
  }
  const held = (key: string, token: string) => {
    const lease = leases.get(key)
    return lease?.token === token && lease.until > 0 ? lease : undefined
  }
  /** A lease ends at the latest after its length, even if the clock is set back. */
  const cut = (lease: { span: number; until: number }) => {
    lease.until = Math.min(lease.until, now() + lease.span)
    return lease.until
  }
  return {
    /** Returns the expected result of a claim. `token` is the one that the store returned, if it did. */
    claim(key: string, seconds: number, token = ''): unknown {
      const known = find(key)
      if (known) {
        return { state: 'done', contentHash: known.contentHash }
      }
      const lease = leases.get(key)
      if (lease) {
        cut(lease)
      }
      const remainingSeconds = lease ? lease.until - now() : 0
      if (remainingSeconds > 0) {
        return { state: 'leased', remainingSeconds }
      }
      if (!lease && leases.size >= maxEvents) {
        const [passed] = [...leases].find(([, other]) => cut(other) <= now()) ?? []
        if (passed === undefined) {
          return 'no room'
        }
        leases.delete(passed)
      }
      const attempt = (lease?.attempt ?? 0) + 1
      leases.set(key, { attempt, token, span: seconds, until: now() + seconds })
      return { state: 'claimed', token, attempt }
    },
    extend(key: string, token: string, seconds: number) {
      const lease = held(key, token)
      if (lease) {
        Object.assign(lease, { span: seconds, until: now() + seconds })
      }
      return lease !== undefined
    },
    release(key: string, token: string) {
      const lease = held(key, token)
      if (lease) {
        lease.until = 0
      }
      return lease !== undefined
    },
    complete(key: string, token: string, contentHash: string, seconds: number) {
      if (!held(key, token)) {
        return find(key)?.token === token
      }
      leases.delete(key)
      if (done.length >= maxEvents) {
        done = done.slice(1)
      }
      const until = Math.max(now() + seconds, last(key)?.until ?? 0)
      done.push({ key, token, contentHash, at: now(), until })
      return true
    },
    prune(before: number, limit: number) {
      const young = done.findIndex(({ at }) => at >= before)
      const expired = done.slice(0, young < 0 ? done.length : young).filter(({ until }) => until <= now())
      const gone = new Set(expired.slice(0, limit))
      done = done.filter((event) => !gone.has(event))
      return gone.size
    },
    close() {
      leases.clear()
      done = []
    },
  }
}

const seconds = fc.constantFrom(0.25, 1, 5, 20, 1000)
const key = fc.constantFrom(...texts)
const which = fc.nat(59)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('claim'), which, seconds, key) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('claim and complete'), which, seconds, key) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom('complete', 'extend', 'release', 'complete by an old token'),
      which,
      seconds,
      key,
    ),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom('wait', 'wait', 'wait', 'go back'), which, seconds, key) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('prune', 'prune', 'prune', 'close'), which, seconds, key),
  },
)

async function found(claim: () => Awaitable<Claim>): Promise<unknown> {
  try {
    return await claim()
  } catch (error) {
    return (error as StoreError).code === 'store_unavailable' ? 'no room' : error
  }
}

describe('the memory store', () => {
  it('behaves as a simple model for random operations', async () => {
    const history = fc.array(step, { minLength: 1, maxLength: 120 })
    const maxEvents = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(100_000))
    const names = fc.uniqueArray(key, { minLength: 1, maxLength: 5 })
    const property = fc.asyncProperty(maxEvents, names, history, async (most, few, steps) => {
      let time = 1000
      const now = () => time
      const leases = memoryLeases({ maxEvents: most, now })
      const plain = model(most, now)
      const tokens = new Map<string, string[]>()

      async function claim(name: string, seconds: number): Promise<void> {
        const is = (await found(() => leases.claim(name, seconds))) as { token?: string }
        if (is.token !== undefined) {
          expect([...tokens.values()].flat()).not.toContain(is.token)
          tokens.set(name, [...(tokens.get(name) ?? []), is.token])
        }
        expect(is).toEqual(plain.claim(name, seconds, is.token))
      }

      for (const [verb, index, seconds, hash] of steps) {
        const name = few[index % few.length] as string
        const own = tokens.get(name) ?? []
        if (verb === 'wait') {
          time += seconds
        }
        if (verb === 'go back') {
          time -= seconds
        }
        if (verb.startsWith('claim')) {
          await claim(name, seconds)
        }
        const token = (verb.endsWith('old token') ? own[0] : tokens.get(name)?.at(-1)) ?? '0'
        if (verb.includes('complete')) {
          const done = [name, token, hash, seconds] as const
          expect(await leases.complete(...done)).toBe(plain.complete(...done))
        }
        if (verb === 'extend') {
          expect(await leases.extend(name, token, seconds)).toBe(plain.extend(name, token, seconds))
        }
        if (verb === 'release') {
          expect(await leases.release(name, token)).toBe(plain.release(name, token))
        }
        if (verb === 'prune') {
          const limit = hash.length % 5
          expect(await leases.prune(new Date((time - seconds) * 1000), limit)).toBe(
            plain.prune(time - seconds, limit),
          )
        }
        if (verb === 'close') {
          await leases.close()
          plain.close()
        }
      }
      for (const name of texts) {
        await claim(name, 1)
      }
    })
    await fc.assert(property, { numRuns: runs(2000) })
  })
})
