import type { Awaitable } from '../timing/awaitable.js'
import { LazyAbort } from '../timing/lazy-abort.js'
import { longestTimer } from '../timing/longest-timer.js'
import type { Durations } from './event-ref.js'
import type { WorkContext } from './store.js'

/** A claim in use. Extends the claim within the time limit of the work, and aborts the signal if the claim is lost. */
export class Heartbeat<Tx = undefined> extends LazyAbort implements WorkContext<Tx> {
  readonly #durations: Durations
  readonly #extend: () => Awaitable<boolean>
  #startedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    durations: Durations,
    extend: () => Awaitable<boolean>,
    readonly attempt: number,
    readonly tx: Tx,
  ) {
    super()
    this.#durations = durations
    this.#extend = extend
    // A lease much longer than the work needs no heartbeat. With the defaults (10 s of work, 60 s of lease) there is
    // no timer.
    if (durations.workSeconds <= durations.leaseSeconds / 2) {
      return
    }
    this.#startedAt = performance.now()
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    const pause = Math.min((this.#durations.leaseSeconds / 3) * 1000, longestTimer)
    this.#timer = setTimeout(() => void this.#beat(), pause)
  }

  async #beat(): Promise<void> {
    if ((performance.now() - this.#startedAt) / 1000 > this.#durations.workSeconds) {
      return
    }
    let held = true
    try {
      held = await this.#extend()
    } catch {
      // A failed extension does not mean that the claim is lost. The next one may succeed before the lease ends.
    }
    if (!held) {
      this.abort(new Error('the claim passed to another holder'))
    } else if (this.#timer !== undefined) {
      this.#schedule()
    }
  }
}
