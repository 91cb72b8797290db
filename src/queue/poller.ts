import { Alarm } from '../timing/alarm.js'
import type { Shutdown } from '../timing/shutdown.js'

export interface PollerSettings<Item> {
  /** How many items run concurrently. */
  readonly concurrency: number
  /** How long to wait for a wake before the next search. */
  readonly pollSeconds: number
  /** Ends when the poller must take no more items. */
  readonly shutdown: Shutdown
  /** Finds up to `limit` items to run. */
  find(limit: number): Promise<readonly Item[]>
  /** Runs an item. Never rejects. */
  run(item: Item): Promise<void>
  /** Called when a search fails. The next one follows after `pollSeconds`. */
  readonly onError: (error: unknown) => void
}

/** Searches for items and runs them. It starts immediately, and searches again when it is woken or an item ends. */
export class Poller<Item> {
  readonly #settings: PollerSettings<Item>
  readonly #alarm = new Alarm()
  readonly #running = new Set<Promise<void>>()
  readonly #searching: Promise<void>

  constructor(settings: PollerSettings<Item>) {
    this.#settings = settings
    this.#searching = this.#search()
  }

  /** There may be a new item. */
  wake(): void {
    this.#alarm.ring()
  }

  /** Resolves when the shutdown has begun and every item that was taken has ended too. */
  async ended(): Promise<void> {
    this.wake()
    await this.#searching
    await Promise.all(this.#running)
  }

  async #search(): Promise<void> {
    const { concurrency, pollSeconds, shutdown } = this.#settings
    while (!shutdown.hasBegun) {
      const free = concurrency - this.#running.size
      if (free > 0) {
        await this.#start(free)
      }
      // Each item that ends wakes the search, also one that has ended before this wait.
      await this.#alarm.wait(pollSeconds)
    }
  }

  async #start(limit: number): Promise<void> {
    const { shutdown, find, onError } = this.#settings
    try {
      const found = await find(limit)
      // The shutdown may have begun during the search.
      for (const item of shutdown.hasBegun ? [] : found) {
        const run = this.#settings.run(item).finally(() => {
          this.#running.delete(run)
          this.wake()
        })
        this.#running.add(run)
      }
    } catch (error) {
      if (!shutdown.hasBegun) {
        onError(error)
      }
    }
  }
}
