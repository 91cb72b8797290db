import { ConfigurationError, HandlerFailure, StoreError } from '../errors.js'
import { hasMethods } from '../given-options.js'
import { checkPrune } from './check-values.js'
import { checkEventRef, type EventRef } from './event-ref.js'
import { Heartbeat } from './heartbeat.js'
import { SingleFlight } from './single-flight.js'
import type { OnceOutcome, Store, StoreGuarantee, WorkContext } from './store.js'

/** What `claim` finds. */
export type Claim =
  /** The key was free, or its lease had ended: it is the caller’s now, under this token. */
  | { readonly state: 'claimed'; readonly token: string; readonly attempt: number }
  /** Another holder has it, for this long at most. */
  | { readonly state: 'leased'; readonly remainingSeconds: number }
  /** It is done. */
  | { readonly state: 'done'; readonly contentHash: string }
  /** Only with an inbox: the event is dead, waits for another event of its resource, or has changed since the worker found it. */
  | { readonly state: 'blocked' }

/**
 * The interface for a key-value store. {@link leaseStore} makes a {@link Store} from it. `leaseSuite` checks these
 * rules.
 *
 * - Each verb is atomic, and reads the backend’s clock. `dynamoStore` is the only exception: see {@link Store}.
 * - A token is unique, and every claim of a key has a greater `attempt` than the one before.
 * - `extend`, `complete` and `release` return false and change nothing if the token does not hold the key. `complete` returns
 *   true again for the token that completed the key, so that it can be repeated after a lost reply.
 * - An expired lease still belongs to its holder until another claims it.
 * - A lease is never longer than its `leaseSeconds`, even when the backend’s clock is set back.
 * - `done` ends only when its retention has passed.
 */
export interface LeaseStore<Tx = undefined> {
  /** The event is for stores that keep it. */
  claim(key: string, leaseSeconds: number, event?: EventRef): Promise<Claim> | Claim
  extend(key: string, token: string, leaseSeconds: number): Promise<boolean> | boolean
  /** If the backend rejects the writes through `tx`, it throws `HandlerFailure` and changes nothing. */
  complete(
    key: string,
    token: string,
    contentHash: string,
    retentionSeconds: number,
    tx?: Tx,
  ): Promise<boolean> | boolean
  /** `error`, if given, is why the work failed. */
  release(key: string, token: string, error?: unknown): Promise<boolean> | boolean
  /**
   * Returns what the work writes through. `complete` commits these writes with the done mark. Absent without
   * transactions.
   */
  begin?(): Tx
  check(): Promise<StoreGuarantee>
  prune(doneBefore: Date, limit: number): Promise<number>
  close(): Promise<void>
}

/**
 * Makes a {@link Store} from four atomic verbs. Throws `ConfigurationError` `invalid_store` if one is missing.
 *
 * @example
 * const store = leaseStore(myLeases)
 */
export function leaseStore<Tx = undefined>(leases: LeaseStore<Tx>): Store<Tx> {
  for (const verb of verbs) {
    if (hasMethods('the lease store', leases, verb)) {
      continue
    }
    throw new ConfigurationError('invalid_store', `the lease store has no ${verb}()`)
  }
  const flights = new SingleFlight()

  return {
    async once(event, work) {
      checkEventRef(event)
      // When the first lease may have ended, deliveries ask the store again and do not join the run in this process.
      const seconds = event.durations.leaseSeconds
      return await flights.join(event, seconds, () => runOnce(leases, event, work))
    },
    check: () => leases.check(),
    async prune(doneBefore, limit) {
      checkPrune(doneBefore, limit)
      return leases.prune(doneBefore, limit)
    },
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
  const { claim, sentAt } = await claimPatiently(leases, event)
  if (claim.state === 'done') {
    return { state: 'duplicate', contentHash: claim.contentHash }
  }
  if (claim.state === 'leased') {
    return { state: 'busy', retryAfterSeconds: claim.remainingSeconds }
  }
  if (claim.state === 'blocked') {
    return { state: 'busy', retryAfterSeconds: leaseSeconds }
  }
  if (claim.state !== 'claimed') {
    throw new StoreError('claim() of the lease store resolved to an unknown state; fix: run leaseSuite on it')
  }

  const { token, attempt } = claim
  // The process may have been paused while it waited for the reply, so the lease may have ended. A timer cannot detect
  // this, because it would fire only after the work has begun.
  if ((performance.now() - sentAt) / 1000 >= leaseSeconds) {
    await giveBack(leases, key, token, undefined)
    return { state: 'busy', retryAfterSeconds: 1 }
  }
  const tx = leases.begin?.() as Tx
  const heartbeat = new Heartbeat(durations, () => leases.extend(key, token, leaseSeconds), attempt, tx)
  let isWorkDone = false
  try {
    const value = await work(heartbeat)
    isWorkDone = true
    heartbeat.stop()
    const completed = await persist(() => leases.complete(key, token, contentHash, retentionSeconds, tx))
    return completed === true ? { state: 'done', value, attempt } : { state: 'lost' }
  } catch (error) {
    heartbeat.stop()
    // After the work, the claim is released only if its writes were rejected. Then nothing has taken effect.
    if (!isWorkDone || error instanceof HandlerFailure) {
      await giveBack(leases, key, token, error)
    }
    throw error
  }
}

/** Claims an event. While another holder works on it, waits briefly and claims again. */
async function claimPatiently(
  leases: Pick<LeaseStore, 'claim'>,
  event: EventRef,
): Promise<{ readonly claim: Claim; readonly sentAt: number }> {
  const { leaseSeconds, waitSeconds } = event.durations
  const startedAt = performance.now()
  let sentAt = startedAt
  for (let pause = 0.05; ; pause *= 2) {
    const claim = await leases.claim(event.key, leaseSeconds, event)
    if (claim.state !== 'leased') {
      return { claim, sentAt }
    }
    const patience = waitSeconds - (performance.now() - startedAt) / 1000
    if (patience <= 0) {
      return { claim, sentAt }
    }
    await sleep(Math.min(pause, patience))
    sentAt = performance.now()
  }
}

/** Marks the event as done. Tries more than once, because the work has already taken effect. */
async function persist(complete: () => Promise<boolean> | boolean): Promise<boolean> {
  for (const pause of [0.1, 0.4]) {
    try {
      return await complete()
    } catch (error) {
      if (error instanceof HandlerFailure) {
        throw error
      }
      await sleep(pause)
    }
  }
  return complete()
}

async function giveBack(leases: Pick<LeaseStore, 'release'>, key: string, token: string, error: unknown) {
  try {
    await leases.release(key, token, error)
  } catch {
    // The lease ends by itself, only later.
  }
}

const sleep = (seconds: number) => new Promise<undefined>((resolve) => setTimeout(resolve, seconds * 1000))
