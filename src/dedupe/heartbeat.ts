import type { Awaitable } from '../awaitable.js'
import { LazyAbort } from '../lazy-abort.js'
import type { Terms } from './event-ref.js'
import type { WorkContext } from './store.js'

/** A claim in use: extended as long as the work may take, and telling the work when it is lost. */
export class Heartbeat<Tx = undefined> extends LazyAbort implements WorkContext<Tx> {
  readonly #terms: Terms
  readonly #extend: () => Awaitable<boolean>
  #startedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    terms: Terms,
    extend: () => Awaitable<boolean>,
    readonly attempt: number,
    readonly tx: Tx,
  ) {
    super()
    this.#terms = terms
    this.#extend = extend
    // A lease that outlives the work by far needs no heartbeat: with the defaults (10 s in 60 s) there is no timer.
    if (terms.workSeconds <= terms.leaseSeconds / 2) return
    this.#startedAt = performance.now()
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#beat(), (this.#terms.leaseSeconds / 3) * 1000)
  }

  async #beat(): Promise<void> {
    if ((performance.now() - this.#startedAt) / 1000 > this.#terms.workSeconds) return
    let held = true
    try {
      held = await this.#extend()
    } catch {
      // A beat that fails tells nothing: the next one may succeed before the lease has passed.
    }
    if (!held) this.abort(new Error('the claim passed to another holder'))
    else if (this.#timer !== undefined) this.#schedule()
  }
}
