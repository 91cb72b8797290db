/** A limit of one type or resource in one process. */
export interface Limit {
  /** How many events run at a time. Default: no limit. */
  readonly concurrency?: number | undefined
  /** How many events start per second, on average. All events of one second may start together. Default: no limit. */
  readonly perSecond?: number | undefined
}

/** An event is retried after an hour at most. */
const longestWaitSeconds = 3600
/** Before the first event has ended, it is not known how long one takes. */
const firstGuessSeconds = 1

/**
 * Counts the running and the recently started events, and compares them with one limit. Times are in seconds of the
 * monotonic clock.
 */
export class Gauge {
  readonly #concurrency: number
  readonly #perSecond: number
  #running = 0
  #tokens: number
  #countedAt: number
  #typicalSeconds = firstGuessSeconds
  #lastSlot = 0
  readonly #now: () => number

  constructor({ concurrency, perSecond }: Limit, now = () => performance.now() / 1000) {
    this.#concurrency = concurrency ?? Number.POSITIVE_INFINITY
    this.#perSecond = perSecond ?? Number.POSITIVE_INFINITY
    this.#tokens = Math.max(1, this.#perSecond)
    this.#now = now
    this.#countedAt = now()
  }

  isFree(): boolean {
    return this.#running < this.#concurrency && this.#refill() >= 1
  }

  /** True if nothing runs, and a new gauge would be in the same state. */
  isIdle(): boolean {
    return this.#running === 0 && this.#refill() >= Math.max(1, this.#perSecond)
  }

  enter(): void {
    this.#running++
    this.#tokens--
  }

  /** Undoes `enter`, for an event that did not start. */
  giveBack(): void {
    this.#running--
    this.#tokens++
  }

  leave(seconds: number): void {
    this.#running--
    this.#typicalSeconds += (seconds - this.#typicalSeconds) / 4
  }

  /** Seconds until the rate allows the next event; 0 if it allows one now. Ignores the concurrency. */
  freeAfterSeconds(): number {
    return Math.max(0, (1 - this.#refill()) / this.#perSecond) || 0
  }

  /**
   * When an event that has to wait should try again, in seconds. Each call gives a later slot, so that many events that
   * wait do not all come back together.
   */
  nextSlot(): number {
    const now = this.#now()
    const apart = Math.max(1 / this.#perSecond, Math.max(0.05, this.#typicalSeconds) / this.#concurrency)
    this.#lastSlot = Math.max(this.#lastSlot, now + this.freeAfterSeconds()) + apart
    const wait = this.#lastSlot - now
    if (wait > longestWaitSeconds) {
      this.#lastSlot = now + longestWaitSeconds
    }
    return Math.min(wait, longestWaitSeconds)
  }

  #refill(): number {
    if (this.#perSecond === Number.POSITIVE_INFINITY) {
      return Number.POSITIVE_INFINITY
    }
    const now = this.#now()
    const earned = (now - this.#countedAt) * this.#perSecond
    this.#tokens = Math.min(Math.max(1, this.#perSecond), this.#tokens + earned)
    this.#countedAt = now
    return this.#tokens
  }
}
