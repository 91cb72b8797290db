import type { Circuit } from '../store/flow-store.js'

/** Longer times overflow a timer. */
const longestWait = 86_400_000

/** Rings when the first open circuit allows a trial. */
export class CircuitTimer {
  readonly #ring: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
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
    if (times.length === 0 || this.#isOver) {
      return
    }
    // The clocks of store and process may differ.
    const wait = Math.max(1000, Math.min(...times) - Date.now() + 50)
    const timer: ReturnType<typeof setTimeout> | number = setTimeout(this.#ring, Math.min(wait, longestWait))
    this.#timer = timer
    // Outside Node a timer is a number, and cannot keep a process alive.
    if (typeof timer === 'object') {
      timer.unref()
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}
