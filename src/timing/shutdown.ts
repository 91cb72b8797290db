/** Tells the loops of a queue to stop. It ends every sleep. */
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

  /** Resolves after the time, or when the shutdown begins. */
  sleep(seconds: number): Promise<void> {
    if (this.#hasBegun) {
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#sleepers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, seconds * 1000)
      this.#sleepers.add(wake)
    })
  }
}
