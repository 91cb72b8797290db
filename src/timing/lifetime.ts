/** Lasts until a stop is requested. The stop ends every sleep. */
export class Lifetime {
  #isOver = false
  readonly #sleepers = new Set<() => void>()

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
    for (const wake of this.#sleepers) {
      wake()
    }
  }

  /** Resolves after the time, or when the lifetime ends. */
  sleep(seconds: number): Promise<void> {
    if (this.#isOver) {
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
