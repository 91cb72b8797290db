import { invalidOption, StoreError } from '../errors.js'
import { givenOptions } from '../given-options.js'
import { type Claim, type LeaseStore, leaseStore } from '../store/lease.js'
import type { Store } from '../store/store.js'
import { DoneEvents } from './memory/done-events.js'

export interface MemoryStoreOptions {
  /** Maximum number of done events. Beyond it the oldest is dropped. Default 100 000. */
  readonly maxEvents?: number | undefined
  /** The clock, in unix seconds, fractions included. Default: the system clock. For tests. */
  readonly now?: (() => number) | undefined
}

interface Lease {
  readonly attempt: number
  readonly token: string
  /** How long the lease is, in seconds. */
  span: number
  /** Unix seconds; 0 once released. */
  until: number
}

/** The number of the last claim, which is its token: it never leaves the process, and no two claims share one. */
let claims = 0

const dies = 'no, because the memory dies with the process'

/**
 * Keeps events in the memory of this process. Use it for tests and demos, or for a single process with idempotent
 * handlers. Throws `ConfigurationError` (`unknown_option`, `invalid_option`).
 *
 * @example
 * const receiver = createReceiver({ secret, store: memoryStore(), handlers })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return { ...leaseStore(memoryLeases(options)), isShared: false }
}

/** The four verbs of {@link memoryStore}. */
export function memoryLeases(options: MemoryStoreOptions = {}): LeaseStore {
  givenOptions('memoryStore', options, ['maxEvents', 'now'])
  const { maxEvents = 100_000, now = () => Date.now() / 1000 } = options
  if (typeof now !== 'function') {
    throw invalidOption('now must be a function')
  }
  if (!Number.isInteger(maxEvents) || maxEvents < 1) {
    throw invalidOption('maxEvents must be a positive whole number')
  }
  const leases = new Map<string, Lease>()
  let done = new DoneEvents(maxEvents)

  /** The lease of a token. An expired lease still belongs to its token until another holder claims the key. */
  function held(key: string, token: string): Lease | undefined {
    const lease = leases.get(key)
    return lease?.token === token && lease.until > 0 ? lease : undefined
  }

  /** A lease that ends later than its span allows was taken before the clock was set back. It is cut to its span. */
  function remainingOf(lease: Lease, time: number): number {
    if (lease.until - time > lease.span) {
      lease.until = time + lease.span
    }
    return lease.until - time
  }

  /** Drops the oldest claim that is released or has expired. Throws `StoreError` if all are in use. */
  function makeRoom(time: number): void {
    for (const [key, lease] of leases) {
      if (remainingOf(lease, time) > 0) {
        continue
      }
      leases.delete(key)
      return
    }
    throw new StoreError(`the memory store holds ${maxEvents} claims in use; raise maxEvents`, {
      reason: 'full',
    })
  }

  return {
    claim(key, leaseSeconds): Claim {
      const time = now()
      const known = done.find(key, time)
      if (known) {
        return { state: 'done', contentHash: known.contentHash }
      }
      const previous = leases.get(key)
      const remainingSeconds = previous ? remainingOf(previous, time) : 0
      if (!(remainingSeconds <= 0)) {
        return { state: 'leased', remainingSeconds }
      }
      if (!previous && leases.size >= maxEvents) {
        makeRoom(time)
      }
      const attempt = (previous?.attempt ?? 0) + 1
      const token = String(++claims)
      leases.set(key, { attempt, token, span: leaseSeconds, until: time + leaseSeconds })
      return { state: 'claimed', token, attempt }
    },

    extend(key, token, leaseSeconds) {
      const lease = held(key, token)
      if (!lease) {
        return false
      }
      lease.span = leaseSeconds
      lease.until = now() + leaseSeconds
      return true
    },

    complete(key, token, contentHash, retentionSeconds) {
      const time = now()
      if (!held(key, token)) {
        return done.find(key, time)?.token === token
      }
      leases.delete(key)
      done.add({ key, contentHash, token, at: time, until: time + retentionSeconds })
      return true
    },

    release(key, token) {
      const lease = held(key, token)
      if (!lease) {
        return false
      }
      lease.until = 0
      return true
    },

    async check() {
      return {
        store: 'memory',
        scope: 'this process only',
        processCrash: dies,
        hostCrash: dies,
        runs: `once while this process lives and among its last ${maxEvents} events`,
      }
    },

    prune: async (doneBefore, limit) => done.prune(doneBefore.getTime() / 1000, now(), limit),

    async close() {
      leases.clear()
      done = new DoneEvents(maxEvents)
    },
  }
}
