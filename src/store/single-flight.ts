/** A run that callers of one key share. */
export interface Flight<T> {
  readonly run: Promise<T>
  /** SHA-256 over the body that it runs. */
  readonly contentHash: string
  /** When it may no longer be joined, by `performance.now()`. */
  readonly until: number
}

/** Lets concurrent callers of one key in this process share one run, so that only one of them asks the store. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  /** How many runs are kept. */
  get size(): number {
    return this.#flights.size
  }

  /** The run under way for a key, if there is one that may still be joined. */
  get(key: string): Flight<T> | undefined {
    const flight = this.#flights.get(key)
    return flight && performance.now() < flight.until ? flight : undefined
  }

  /**
   * Starts a run; whoever asks for the key until it settles finds it, but no longer than `seconds`: a run that never
   * settles must not stand before its key for ever.
   */
  start<Own extends T>(
    { key, contentHash }: { readonly key: string; readonly contentHash: string },
    run: () => Promise<Own>,
    seconds = Number.POSITIVE_INFINITY,
  ): Promise<Own> {
    const now = performance.now()
    this.#forgetExpired(now)
    const own = run()
    const flight = { run: own, contentHash, until: now + seconds * 1000 }
    const land = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    own.then(land, land)
    this.#flights.delete(key)
    this.#flights.set(key, flight)
    return own
  }

  /** Drops the oldest runs that nobody may join any more: one that never settles would be kept, event and all. */
  #forgetExpired(now: number): void {
    for (const [key, { until }] of this.#flights) {
      if (now < until) return
      this.#flights.delete(key)
    }
  }
}
