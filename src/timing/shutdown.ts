import { longestTimer } from './longest-timer.js'

/** Signals loops to stop, and ends every `sleep`. */
export class Shutdown {
  #hasBegun = false
  readonly #sleepers = new Set<() => void>()

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  begin(): void {
    this.#hasBegun = true
    for (const wake of this.#sleepers) {
      wake()
    }
  }

  /** Calls the listener when the shutdown begins, or now if it has begun. */
  onBegin(listener: () => void): void {
    if (this.#hasBegun) {
      listener()
    } else {
      this.#sleepers.add(listener)
    }
  }

  /**
   * Resolves after the time, or when the shutdown begins. With `keepsProcess: false` this timer does not keep the
   * process alive.
   */
  sleep(seconds: number, { keepsProcess = true } = {}): Promise<void> {
    if (this.#hasBegun) {
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#sleepers.delete(wake)
        resolve()
      }
      const timer: ReturnType<typeof setTimeout> | number = setTimeout(
        wake,
        Math.min(seconds * 1000, longestTimer),
      )
      // Outside Node a timer is a number and does not keep a process alive.
      if (!keepsProcess && typeof timer === 'object') {
        timer.unref()
      }
      this.#sleepers.add(wake)
    })
  }
}
