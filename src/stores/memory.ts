import { type Claim, type LeaseStore, leaseStore } from '../dedupe/lease.js'
import type { Store } from '../dedupe/store.js'
import { ConfigurationError, StoreError } from '../errors.js'

export interface MemoryStoreOptions {
  /** How many events that are done are remembered; beyond it the oldest is forgotten. Default 100 000. */
  readonly maxEvents?: number
  /** The clock, in unix seconds, fractions included. Default: the system clock. For tests. */
  readonly now?: () => number
}

interface Lease {
  readonly attempt: number
  readonly token: string
  /** Unix seconds; 0 once released. */
  until: number
}

interface Done {
  readonly token: string
  readonly contentHash: string
  /** Unix seconds. */
  readonly at: number
  readonly until: number
}

/**
 * Remembers events in this process and for its life only: for tests, for demos and for a single process whose handlers
 * are idempotent. Throws `ConfigurationError` (`unknown_option`, `invalid_option`).
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return leaseStore(memoryLeases(options))
}

/** The four verbs of {@link memoryStore}. */
export function memoryLeases(options: MemoryStoreOptions = {}): LeaseStore {
  const unknown = Object.keys(options).filter((name) => name !== 'maxEvents' && name !== 'now')
  if (unknown.length > 0) {
    throw new ConfigurationError(
      'unknown_option',
      `${unknown.join(', ')} is not an option; there are maxEvents, now`,
    )
  }
  const { maxEvents = 100_000, now = () => Date.now() / 1000 } = options
  if (typeof now !== 'function') throw new ConfigurationError('invalid_option', 'now must be a function')
  if (!Number.isInteger(maxEvents) || maxEvents < 1) {
    throw new ConfigurationError('invalid_option', 'maxEvents must be a positive whole number')
  }
  const leases = new Map<string, Lease>()
  const done = new Map<string, Done>()

  function findDone(key: string): Done | undefined {
    const found = done.get(key)
    // A clock that tells NaN forgets nothing.
    if (!found || !(found.until <= now())) return found
    done.delete(key)
    return undefined
  }

  /** The lease that a token still holds. It has passed only when another has claimed the key. */
  function held(key: string, token: string): Lease | undefined {
    const lease = leases.get(key)
    return lease?.token === token && lease.until > 0 ? lease : undefined
  }

  /** Drops the oldest claim that is released or has passed; where every claim is in use there is no room. */
  function makeRoom(): void {
    for (const [key, lease] of leases) {
      if (lease.until > now()) continue
      leases.delete(key)
      return
    }
    throw new StoreError(`the memory store holds ${maxEvents} claims in use; raise maxEvents`)
  }

  return {
    async claim(key, leaseSeconds): Promise<Claim> {
      const known = findDone(key)
      if (known) return { state: 'done', contentHash: known.contentHash }
      const previous = leases.get(key)
      const remainingSeconds = (previous?.until ?? 0) - now()
      if (!(remainingSeconds <= 0)) return { state: 'leased', remainingSeconds }
      if (!previous && leases.size >= maxEvents) makeRoom()
      const attempt = (previous?.attempt ?? 0) + 1
      const token = `${attempt}:${crypto.randomUUID()}`
      leases.set(key, { attempt, token, until: now() + leaseSeconds })
      return { state: 'claimed', token, attempt }
    },

    async extend(key, token, leaseSeconds) {
      const lease = held(key, token)
      if (lease) lease.until = now() + leaseSeconds
      return lease !== undefined
    },

    async complete(key, token, contentHash, retentionSeconds) {
      if (findDone(key)?.token === token) return true
      if (!held(key, token)) return false
      leases.delete(key)
      if (done.size >= maxEvents) done.delete(done.keys().next().value as string)
      done.set(key, { token, contentHash, at: now(), until: now() + retentionSeconds })
      return true
    },

    async release(key, token) {
      const lease = held(key, token)
      if (lease) lease.until = 0
      return lease !== undefined
    },

    async check() {
      return {
        store: 'memory',
        scope: 'this process only',
        processCrash: 'no, because the memory dies with the process',
        hostCrash: 'no, because the memory dies with the process',
        runs: `once while this process lives and among its last ${maxEvents} events`,
      }
    },

    async prune(doneBefore, limit) {
      const before = doneBefore.getTime() / 1000
      let count = 0
      for (const [key, { at }] of done) {
        if (count >= limit || at >= before) break
        done.delete(key)
        count++
      }
      return count
    },

    async close() {
      leases.clear()
      done.clear()
    },
  }
}
