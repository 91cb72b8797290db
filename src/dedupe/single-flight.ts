/** Lets concurrent callers of one key in this process share one run, so that only one of them asks the store. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, { run: Promise<T>; until: number }>()

  /** How many runs are kept. */
  get size(): number {
    return this.#flights.size
  }

  /** The run under way for a key, if there is one that may still be joined. */
  get(key: string): Promise<T> | undefined {
    const flight = this.#flights.get(key)
    return flight && performance.now() < flight.until ? flight.run : undefined
  }

  /**
   * Starts a run; whoever asks for the key until it settles finds it, but no longer than `seconds`: a run that never
   * settles must not stand before its key for ever.
   */
  start(key: string, run: () => Promise<T>, seconds = Number.POSITIVE_INFINITY): Promise<T> {
    this.#forgetExpired()
    const flight = {
      until: performance.now() + seconds * 1000,
      run: run().finally(() => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
      }),
    }
    this.#flights.delete(key)
    this.#flights.set(key, flight)
    return flight.run
  }

  /** Drops the oldest runs that nobody may join any more: one that never settles would be kept, event and all. */
  #forgetExpired(): void {
    for (const [key, { until }] of this.#flights) {
      if (performance.now() < until) return
      this.#flights.delete(key)
    }
  }
}
