import { ConfigurationError, HandlerFailure } from '../errors.js'
import type { EventRef } from './event-ref.js'
import { Heartbeat } from './heartbeat.js'
import { type Flight, joinTwin } from './join-twin.js'
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
  | { readonly state: 'barred' }

/**
 * What a key-value store implements; {@link leaseStore} makes a {@link Store} of it. The laws:
 *
 * - Each verb is atomic, and reads the backend’s clock.
 * - A token is unique, and every claim of a key has a greater `attempt` than the one before.
 * - `extend`, `complete` and `release` resolve to false, and change nothing, for any token but the one that holds the
 *   key. `complete` is true again for the token that completed it, so that it can be repeated after a lost answer.
 * - An expired lease still belongs to its holder until another claims it.
 * - `done` ends only when its retention has passed.
 */
export interface LeaseStore<Tx = undefined> {
  /** The event is for stores that keep it. */
  claim(key: string, leaseSeconds: number, event?: EventRef): Promise<Claim>
  extend(key: string, token: string, leaseSeconds: number): Promise<boolean>
  /** Rejects with `HandlerFailure`, and changes nothing, where what was written through `tx` is refused. */
  complete(
    key: string,
    token: string,
    contentHash: string,
    retentionSeconds: number,
    tx?: Tx,
  ): Promise<boolean>
  /** The error, where there is one, is why the work failed. */
  release(key: string, token: string, error?: unknown): Promise<boolean>
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
  const flights = new SingleFlight<Flight>()

  return {
    async once<T>(event: EventRef, work: (context: WorkContext<Tx>) => Promise<T>): Promise<OnceOutcome<T>> {
      const twin = flights.get(event.key)
      if (twin) return joinTwin(twin, event.terms.waitSeconds)
      const run = async () => ({
        contentHash: event.contentHash,
        outcome: await runOnce(leases, event, work),
      })
      // Once the first lease may have passed, the store decides again whether the run in this process still counts.
      const { outcome } = await flights.start(event.key, run, event.terms.leaseSeconds)
      return outcome as OnceOutcome<T>
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
  const claim = await claimPatiently(leases, event)
  if (claim.state === 'done') return { state: 'duplicate', contentHash: claim.contentHash }
  if (claim.state === 'leased') return { state: 'busy', retryAfterSeconds: claim.remainingSeconds }
  if (claim.state === 'barred') return { state: 'busy', retryAfterSeconds: event.terms.leaseSeconds }

  const { token, attempt } = claim
  const tx = leases.begin?.() as Tx
  const value = await workUnderLease(leases, event, token, (heartbeat) =>
    work(workContext(attempt, tx, heartbeat)),
  )
  const { contentHash, terms } = event
  const completed = await persist(() =>
    leases.complete(event.key, token, contentHash, terms.retentionSeconds, tx),
  ).catch(async (error: unknown) => {
    // What the work wrote was refused, so nothing has taken effect and another may try at once.
    if (error instanceof HandlerFailure) await giveBack(leases, event, token, error)
    throw error
  })
  return completed ? { state: 'done', value, attempt } : { state: 'lost' }
}

/** Claims, waiting briefly while another holder works on the event. */
async function claimPatiently(leases: Pick<LeaseStore, 'claim'>, event: EventRef): Promise<Claim> {
  const { leaseSeconds, waitSeconds } = event.terms
  const startedAt = performance.now()
  for (let pause = 0.05; ; pause *= 2) {
    const claim = await leases.claim(event.key, leaseSeconds, event)
    const patience = waitSeconds - (performance.now() - startedAt) / 1000
    if (claim.state !== 'leased' || patience <= 0) return claim
    await sleep(Math.min(pause, patience))
  }
}

async function workUnderLease<T>(
  leases: Pick<LeaseStore, 'extend' | 'release'>,
  event: EventRef,
  token: string,
  work: (heartbeat: Heartbeat) => Promise<T>,
): Promise<T> {
  const heartbeat = new Heartbeat(event.terms, () =>
    leases.extend(event.key, token, event.terms.leaseSeconds),
  )
  try {
    return await work(heartbeat)
  } catch (error) {
    await giveBack(leases, event, token, error)
    throw error
  } finally {
    heartbeat.stop()
  }
}

/** Releases a claim. If the release is lost, the lease passes by itself: later, but not never. */
async function giveBack(
  leases: Pick<LeaseStore, 'release'>,
  event: EventRef,
  token: string,
  error: unknown,
): Promise<void> {
  await leases.release(event.key, token, error).catch(() => {})
}

const workContext = <Tx>(attempt: number, tx: Tx, heartbeat: Heartbeat): WorkContext<Tx> => ({
  tx,
  attempt,
  get signal() {
    return heartbeat.signal
  },
})

/** The work has taken effect, so its mark is worth more than one try. */
async function persist(complete: () => Promise<boolean>): Promise<boolean> {
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

const sleep = (seconds: number) => new Promise<undefined>((resolve) => setTimeout(resolve, seconds * 1000))
