import { LazyAbort } from './lazy-abort.js'

/** What a timer of Node and of browsers holds, in milliseconds; with more it would fire at once. */
const longestTimer = 2 ** 31 - 1

/**
 * The time a delivery may take before it is answered, whatever it still waits for. It runs from its construction, over
 * any number of races.
 */
export class Deadline extends LazyAbort {
  readonly #seconds: number
  readonly #startedAt = performance.now()

  constructor(seconds: number) {
    super()
    this.#seconds = seconds
  }

  /**
   * Settles as `work` does, or with what `late` returns when the time is up. The work is not interrupted: it sees the
   * signal, and its own outcome goes unheard. Where it rejects in time, `failed` says what that comes to.
   */
  race<T>(work: Promise<T>, late: () => T, failed: (error: unknown) => T = rethrow): Promise<T> {
    const left = this.#seconds * 1000 - (performance.now() - this.#startedAt)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.abort(new Error(`not done within ${this.#seconds} s`))
          resolve(late())
        },
        Math.min(Math.max(0, Math.ceil(left)), longestTimer),
      )
      // In the handlers themselves: `finally` would be two promises more for each delivery.
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
