import type { EventRef } from './event-ref.js'
import type { OnceOutcome } from './store.js'

/** A run that concurrent deliveries of one event share. */
interface Flight {
  readonly run: Promise<OnceOutcome<unknown>>
  readonly contentHash: string
  /** When it may no longer be joined, by `performance.now()`. */
  readonly until: number
}

/** Lets concurrent deliveries of one event in this process share one run, so that only one of them asks the store. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>()

  /**
   * Starts a run, or waits for a run that a concurrent delivery has started. Waits at most `waitSeconds` of the event.
   * A run can be joined for `seconds`, so that a run that never settles does not block its event forever. Whoever has a claim
   * joins no run, because that run would wait for the claim.
   */
  join<T>(
    { key, contentHash, durations, claim }: EventRef,
    seconds: number,
    run: () => Promise<OnceOutcome<T>>,
  ): Promise<OnceOutcome<T>> {
    const now = performance.now()
    const concurrent = this.#flights.get(key)
    if (concurrent && !claim && now < concurrent.until) {
      return waitFor(concurrent, durations.waitSeconds)
    }
    this.#forgetExpired(now)
    const own = run()
    const flight = { run: own, contentHash, until: now + seconds * 1000 }
    const end = () => {
      if (this.#flights.get(key) === flight) {
        this.#flights.delete(key)
      }
    }
    own.then(end, end)
    this.#flights.delete(key)
    this.#flights.set(key, flight)
    return own
  }

  /** Drops the oldest runs that can no longer be joined. A run that never settles would keep its event in memory. */
  #forgetExpired(now: number): void {
    for (const [key, { until }] of this.#flights) {
      if (now < until) {
        return
      }
      this.#flights.delete(key)
    }
  }
}

async function waitFor({ run, contentHash }: Flight, waitSeconds: number): Promise<OnceOutcome<never>> {
  const outcome = await settledWithin(waitSeconds, run)
  if (outcome?.state === 'done') {
    return { state: 'duplicate', contentHash }
  }
  if (outcome?.state === 'duplicate') {
    return outcome
  }
  return { state: 'busy', retryAfterSeconds: 1 }
}

/** What a run resolves to; `undefined` if it takes longer, or rejects. Leaves no timer behind. */
function settledWithin<T>(seconds: number, run: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    run.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer))
  })
}
