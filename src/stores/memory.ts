import { StoreError } from '../errors.js'
import { givenOptions, invalidOption } from '../options/checks.js'
import { type Claim, type LeaseStore, leaseStore } from '../store/lease.js'
import type { Store } from '../store/store.js'
import { doneEvents } from './memory/done-events.js'

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

/** A claim’s number is its token. It need not be random, where it never leaves the process and no two claims share it. */
let claims = 0

const dies = 'no, because the memory dies with the process'

/**
 * Remembers events in this process and for its life only: for tests, for demos and for a single process whose handlers
 * are idempotent. Throws `ConfigurationError` (`unknown_option`, `invalid_option`).
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return leaseStore(memoryLeases(options))
}

/** The four verbs of {@link memoryStore}. */
export function memoryLeases(options: MemoryStoreOptions = {}): LeaseStore {
  givenOptions('memoryStore', options, ['maxEvents', 'now'])
  const { maxEvents = 100_000, now = () => Date.now() / 1000 } = options
  if (typeof now !== 'function') throw invalidOption('now must be a function')
  if (!Number.isInteger(maxEvents) || maxEvents < 1) {
    throw invalidOption('maxEvents must be a positive whole number')
  }
  const leases = new Map<string, Lease>()
  let done = doneEvents(maxEvents)

  /** The lease that a token still holds. It has passed only when another has claimed the key. */
  function held(key: string, token: string): Lease | undefined {
    const lease = leases.get(key)
    return lease?.token === token && lease.until > 0 ? lease : undefined
  }

  function setUntil(key: string, token: string, until: number): boolean {
    const lease = held(key, token)
    if (lease) lease.until = until
    return lease !== undefined
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
    claim(key, leaseSeconds): Claim {
      const time = now()
      const known = done.find(key, time)
      if (known) return { state: 'done', contentHash: known.contentHash }
      const previous = leases.get(key)
      const remainingSeconds = (previous?.until ?? 0) - time
      if (!(remainingSeconds <= 0)) return { state: 'leased', remainingSeconds }
      if (!previous && leases.size >= maxEvents) makeRoom()
      const attempt = (previous?.attempt ?? 0) + 1
      const token = String(++claims)
      leases.set(key, { attempt, token, until: time + leaseSeconds })
      return { state: 'claimed', token, attempt }
    },

    extend: async (key, token, leaseSeconds) => setUntil(key, token, now() + leaseSeconds),

    complete(key, token, contentHash, retentionSeconds) {
      const time = now()
      if (held(key, token)) {
        leases.delete(key)
        done.add(key, contentHash, Number(token), time, time + retentionSeconds)
        return true
      }
      const known = done.find(key, time)
      return known !== undefined && String(known.claim) === token
    },

    release: async (key, token) => setUntil(key, token, 0),

    async check() {
      return {
        store: 'memory',
        scope: 'this process only',
        processCrash: dies,
        hostCrash: dies,
        runs: `once while this process lives and among its last ${maxEvents} events`,
      }
    },

    prune: async (doneBefore, limit) => done.prune(doneBefore.getTime() / 1000, limit),

    async close() {
      leases.clear()
      done = doneEvents(maxEvents)
    },
  }
}
