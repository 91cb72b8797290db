/** The live messages for the page of the inspector. */
export type FeedType =
  | 'request'
  | 'delivery'
  | 'attempt'
  | 'transfer'
  | 'subscription'
  | 'clock'
  | 'chaos'
  | 'reset'

export interface FeedMessage {
  /** `<start>-<number>`; a reader passes the last one it has as `Last-Event-ID`. */
  readonly id: string
  readonly type: FeedType
  readonly data: unknown
}

type Reader = (message: FeedMessage) => void

/** How many messages a reader may have missed and still resume. */
const keptMessages = 2000

/** Passes messages to every reader, and keeps the newest for readers that come back. */
export class Feed {
  /** Distinguishes the messages of this start from those of another start. */
  readonly #start: string
  readonly #kept: FeedMessage[] = []
  readonly #readers = new Set<Reader>()
  #count = 0

  constructor(start: string) {
    this.#start = start
  }

  publish(type: FeedType, data: unknown): void {
    this.#count += 1
    const message: FeedMessage = { id: `${this.#start}-${this.#count}`, type, data }
    this.#kept.push(message)
    if (this.#kept.length > keptMessages) {
      this.#kept.shift()
    }
    for (const reader of this.#readers) {
      reader(message)
    }
  }

  /** The messages after the one with this id; `undefined` if some of them are no longer kept. */
  since(id: string): FeedMessage[] | undefined {
    const [start, number] = id.split('-')
    const missed = this.#count - Number(number)
    if (start !== this.#start || !(missed >= 0) || missed > this.#kept.length) {
      return undefined
    }
    return missed === 0 ? [] : this.#kept.slice(-missed)
  }

  /** Calls `reader` for each message from now on. Returns a function that ends this. */
  follow(reader: Reader): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }
}
