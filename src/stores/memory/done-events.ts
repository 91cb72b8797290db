/** A done event. Times are in unix seconds. */
export interface DoneEvent {
  readonly key: string
  readonly contentHash: string
  /** The token that completed it. */
  readonly token: string
  readonly at: number
  until: number
}

/** Several small maps, because one Map of a million entries stops the process for more than 100 ms when it grows. */
const shardCount = 64

/** The last `capacity` done events. Beyond that the oldest is forgotten. */
export class DoneEvents {
  readonly #capacity: number
  readonly #shards = Array.from({ length: shardCount }, () => new Map<string, DoneEvent>())
  /** A ring, in the order in which the events were done. */
  readonly #order: DoneEvent[] = []
  #added = 0
  #forgotten = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The last event with a key, unless its retention has passed. */
  find(key: string, time: number): DoneEvent | undefined {
    const found = this.#shardOf(key).get(key)
    // Not `until > time`: if the clock returns NaN, nothing is forgotten.
    return found && !(found.until <= time) ? found : undefined
  }

  /** Keeps the object itself, and may set its `until`. */
  add(event: DoneEvent): void {
    if (this.#added - this.#forgotten >= this.#capacity) {
      this.#forgetOldest()
    }
    const shard = this.#shardOf(event.key)
    // An event that expired early, by a clock that was ahead, keeps its own retention.
    event.until = Math.max(event.until, shard.get(event.key)?.until ?? 0)
    this.#order[this.#added++ % this.#capacity] = event
    shard.set(event.key, event)
  }

  /** Forgets up to `limit` events done before a time whose retention has passed, the oldest first; returns how many. */
  prune(before: number, time: number, limit: number): number {
    const kept: DoneEvent[] = []
    let count = 0
    let end = this.#forgotten
    for (; count < limit && end < this.#added; end++) {
      const event = this.#at(end)
      if (event.at >= before) {
        break
      }
      if (event.until <= time) {
        this.#drop(event)
        count++
      } else {
        kept.push(event)
      }
    }
    // The events with a longer retention move up, so that the forgotten ones leave no gaps in the ring.
    this.#forgotten = end - kept.length
    for (const [i, event] of kept.entries()) {
      this.#order[(this.#forgotten + i) % this.#capacity] = event
    }
    return count
  }

  /** Only of an event that is in the ring: a place keeps its last event. */
  #at(number: number): DoneEvent {
    return this.#order[number % this.#capacity] as DoneEvent
  }

  #forgetOldest(): void {
    this.#drop(this.#at(this.#forgotten++))
  }

  #drop(event: DoneEvent): void {
    // The same key may have been done again since, after its retention had passed.
    const shard = this.#shardOf(event.key)
    if (shard.get(event.key) === event) {
      shard.delete(event.key)
    }
  }

  /**
   * Chooses the map by the end of the key, because a digest is equally distributed there. Other keys only need to find
   * the same map again.
   */
  #shardOf(key: string): Map<string, DoneEvent> {
    const last = key.length - 1
    const hash = last < 1 ? 0 : key.charCodeAt(last) * 31 + key.charCodeAt(last - 1)
    return this.#shards[hash % shardCount] as Map<string, DoneEvent>
  }
}
