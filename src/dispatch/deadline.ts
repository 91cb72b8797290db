import { LazyAbort } from '../dedupe/lazy-abort.js'

/** The time a delivery may take before it is answered, whatever it still waits for. */
export class Deadline extends LazyAbort {
  readonly #seconds: number

  constructor(seconds: number) {
    super()
    this.#seconds = seconds
  }

  /**
   * Settles as `work` does, or with what `late` returns when the time is up. The work is not interrupted: it sees the
   * signal, and its own outcome goes unheard.
   */
  race<T>(work: Promise<T>, late: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.abort(new Error(`not done within ${this.#seconds} s`))
        resolve(late())
      }, this.#seconds * 1000)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}
