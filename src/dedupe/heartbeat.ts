import { LazyAbort } from '../lazy-abort.js'
import type { Terms } from './event-ref.js'

/** A claim in use: extended as long as the work may take, and telling the work when it is lost. */
export class Heartbeat {
  readonly #controller = new LazyAbort()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(terms: Terms, extend: () => Promise<boolean>) {
    // A lease that outlives the work by far needs no heartbeat: with the defaults (10 s in 60 s) there is no timer.
    if (terms.workSeconds <= terms.leaseSeconds / 2) return
    const startedAt = performance.now()
    const beat = async () => {
      if ((performance.now() - startedAt) / 1000 > terms.workSeconds) return
      // A beat that fails tells nothing: the next one may succeed before the lease has passed.
      const held = await extend().catch(() => true)
      if (!held) this.#controller.abort(new Error('the claim passed to another holder'))
      else if (this.#timer !== undefined) schedule()
    }
    const schedule = () => {
      this.#timer = setTimeout(beat, (terms.leaseSeconds / 3) * 1000)
    }
    schedule()
  }

  /** Aborts when the claim is found lost. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
