import type { Circuit } from '../store/flow-store.js'

/** The clock of the store decides when a circuit allows a trial. If ours is wrong, the store is asked this often, in milliseconds. */
const longestWait = 5000

/** Rings when the first open circuit allows a trial, and again until it gets the circuits that the store then has. */
export class CircuitTimer {
  readonly #ring: () => void
  #timer: ReturnType<typeof setTimeout> | number | undefined
  #isOver = false

  constructor(ring: () => void) {
    this.#ring = ring
  }

  /** Waits for the first of these circuits. They replace the earlier ones. */
  watch(circuits: readonly Circuit[]): void {
    clearTimeout(this.#timer)
    const times = circuits.flatMap(({ isHolding, retryAt }) =>
      isHolding && retryAt ? [Date.parse(retryAt)] : [],
    )
    if (times.length > 0 && !this.#isOver) {
      this.#wait(Math.max(1000, Math.min(...times) - Date.now() + 50))
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(
      () => {
        // The store may not answer, and then no other circuits follow.
        this.#wait(longestWait)
        this.#ring()
      },
      Math.min(milliseconds, longestWait),
    )
    // Outside Node a timer is a number, and cannot keep a process alive.
    if (typeof this.#timer === 'object') {
      this.#timer.unref()
    }
  }
}
