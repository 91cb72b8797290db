import { ConfigurationError, HandlerFailure } from '../errors.js'
import type { Awaitable } from '../timing/awaitable.js'
import type { EventRef } from './event-ref.js'
import { Heartbeat } from './heartbeat.js'
import { joinConcurrent } from './join-concurrent.js'
import { SingleFlight } from './single-flight.js'
import type { OnceOutcome, Store, StoreGuarantee, WorkContext } from './store.js'

/** What `claim` finds. */
export type Claim =
  /** The key was free, or its lease had passed: it is the caller’s now, under this token. */
  | { readonly state: 'claimed'; readonly token: string; readonly attempt: number }
  /** Another holder has it for so long at the most. */
  | { readonly state: 'leased'; readonly remainingSeconds: number }
  /** It is done. */
  | { readonly state: 'done'; readonly contentHash: string }
  /**
   * Nobody may have it now: it was given up, and not replayed yet, or waits for another event of its resource. Only
   * where there is an inbox.
   */
  | { readonly state: 'blocked' }

/**
 * What a key-value store implements; {@link leaseStore} makes a {@link Store} of it. The laws:
 *
 * - Each verb is atomic, and reads the backend’s clock.
 * - A token is unique, and every claim of a key has a greater `attempt` than the one before.
 * - `extend`, `complete` and `release` resolve to false, and change nothing, for any token but the one that holds the
 *   key. `complete` is true again for the token that completed it, so that it can be repeated after a lost answer.
 * - An expired lease still belongs to its holder until another claims it.
 * - `done` ends only when its retention has passed.
 *
 * A verb may return its result or a promise of it, and throw or reject.
 */
export interface LeaseStore<Tx = undefined> {
  /** The event is for stores that keep it. */
  claim(key: string, leaseSeconds: number, event?: EventRef): Awaitable<Claim>
  extend(key: string, token: string, leaseSeconds: number): Awaitable<boolean>
  /** Fails with `HandlerFailure`, and changes nothing, where what was written through `tx` is refused. */
  complete(
    key: string,
    token: string,
    contentHash: string,
    retentionSeconds: number,
    tx?: Tx,
  ): Awaitable<boolean>
  /** The error, where there is one, is why the work failed. */
  release(key: string, token: string, error?: unknown): Awaitable<boolean>
  /** What the work writes through, for `complete` to commit as one with the mark; absent without transactions. */
  begin?(): Tx
  check(): Promise<StoreGuarantee>
  prune(doneBefore: Date, limit: number): Promise<number>
  close(): Promise<void>
}

/** A {@link Store} over four atomic verbs. Throws `ConfigurationError` `invalid_store` where one is missing. */
export function leaseStore<Tx = undefined>(leases: LeaseStore<Tx>): Store<Tx> {
  for (const verb of verbs) {
    if (typeof leases?.[verb] === 'function') continue
    throw new ConfigurationError('invalid_store', `the lease store has no ${verb}()`)
  }
  const flights = new SingleFlight<OnceOutcome<unknown>>()

  return {
    once(event, work) {
      const { key, durations } = event
      const concurrent = flights.get(key)
      if (concurrent) return joinConcurrent(concurrent, durations.waitSeconds)
      // Once the first lease may have passed, the store decides again whether the run in this process still counts.
      return flights.start(event, () => runOnce(leases, event, work), durations.leaseSeconds)
    },
    check: () => leases.check(),
    prune: (doneBefore, limit) => leases.prune(doneBefore, limit),
    close: () => leases.close(),
  }
}

const verbs = ['claim', 'extend', 'complete', 'release', 'check', 'prune', 'close'] as const

async function runOnce<T, Tx>(
  leases: LeaseStore<Tx>,
  event: EventRef,
  work: (context: WorkContext<Tx>) => Promise<T>,
): Promise<OnceOutcome<T>> {
  const { key, contentHash, durations } = event
  const { leaseSeconds, retentionSeconds } = durations
  let claim = await leases.claim(key, leaseSeconds, event)
  if (claim.state === 'leased') claim = await claimPatiently(leases, event, claim)
  if (claim.state === 'done') return { state: 'duplicate', contentHash: claim.contentHash }
  if (claim.state === 'leased') return { state: 'busy', retryAfterSeconds: claim.remainingSeconds }
  if (claim.state === 'blocked') return { state: 'busy', retryAfterSeconds: leaseSeconds }

  const { token, attempt } = claim
  const tx = leases.begin?.() as Tx
  const heartbeat = new Heartbeat(durations, () => leases.extend(key, token, leaseSeconds), attempt, tx)
  let isWorkDone = false
  try {
    const value = await work(heartbeat)
    isWorkDone = true
    heartbeat.stop()
    const completed = await persist(() => leases.complete(key, token, contentHash, retentionSeconds, tx))
    return completed ? { state: 'done', value, attempt } : { state: 'lost' }
  } catch (error) {
    heartbeat.stop()
    // After the work a claim is given back only where what it wrote was refused, so that nothing has taken effect.
    if (!isWorkDone || error instanceof HandlerFailure) await giveBack(leases, key, token, error)
    throw error
  }
}

/** Waits briefly, and claims again, while another holder works on the event. */
async function claimPatiently(
  leases: Pick<LeaseStore, 'claim'>,
  event: EventRef,
  found: Claim,
): Promise<Claim> {
  const { leaseSeconds, waitSeconds } = event.durations
  const startedAt = performance.now()
  let claim = found
  let pause = 0.05
  do {
    const patience = waitSeconds - (performance.now() - startedAt) / 1000
    if (patience <= 0) break
    await sleep(Math.min(pause, patience))
    pause *= 2
    claim = await leases.claim(event.key, leaseSeconds, event)
  } while (claim.state === 'leased')
  return claim
}

/** The work has taken effect, so its mark is worth more than one try. */
async function persist(complete: () => Awaitable<boolean>): Promise<boolean> {
  for (const pause of [0.1, 0.4]) {
    try {
      return await complete()
    } catch (error) {
      if (error instanceof HandlerFailure) throw error
      await sleep(pause)
    }
  }
  return complete()
}

async function giveBack(leases: Pick<LeaseStore, 'release'>, key: string, token: string, error: unknown) {
  try {
    await leases.release(key, token, error)
  } catch {
    // The lease passes by itself: later, but not never.
  }
}

const sleep = (seconds: number) => new Promise<undefined>((resolve) => setTimeout(resolve, seconds * 1000))
