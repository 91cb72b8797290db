/** Lets concurrent callers of one key in this process share one run, so that only one of them asks the store. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>()

  /** The run under way for a key, if there is one. */
  get(key: string): Promise<T> | undefined {
    return this.#flights.get(key)
  }

  /** Starts a run; whoever asks for the key until it settles finds it. */
  start(key: string, run: () => Promise<T>): Promise<T> {
    const flight = run().finally(() => this.#flights.delete(key))
    this.#flights.set(key, flight)
    return flight
  }
}
