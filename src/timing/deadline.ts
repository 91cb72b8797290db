import { LazyAbort } from './lazy-abort.js'
import { longestTimer } from './longest-timer.js'

/**
 * The time limit for the response to a delivery. It starts in the constructor. `race` can be called several times.
 */
export class Deadline extends LazyAbort {
  readonly #startedAt = performance.now()
  #overdue: Promise<unknown> | undefined
  #isStopped = false

  constructor(readonly seconds: number) {
    super()
  }

  /** The work that was not done in time. It may still end. */
  get overdue(): Promise<unknown> | undefined {
    return this.#overdue
  }

  /** Whether the work was told to stop, for a reason that is not its fault. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  stop(reason: Error): void {
    this.#isStopped = true
    this.abort(reason)
  }

  /**
   * Settles like `work`, or with the result of `late` when the time is up. This does not interrupt the work: its signal
   * aborts, and its later outcome is ignored. If the work rejects in time, `failed` returns the result.
   */
  race<T>(work: Promise<T>, late: () => T, failed: (error: unknown) => T = rethrow): Promise<T> {
    const left = this.seconds * 1000 - (performance.now() - this.#startedAt)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#overdue = work
          this.abort(new Error(`not done within ${this.seconds} s`))
          resolve(late())
        },
        Math.min(Math.max(0, Math.ceil(left)), longestTimer),
      )
      // Both callbacks clear the timer, because `finally` would add two promises to each delivery.
      work.then(
        (value) => {
          clearTimeout(timer)
          resolve(value)
        },
        (error) => {
          clearTimeout(timer)
          try {
            resolve(failed(error))
          } catch (thrown) {
            reject(thrown)
          }
        },
      )
    })
  }
}

function rethrow(error: unknown): never {
  throw error
}
