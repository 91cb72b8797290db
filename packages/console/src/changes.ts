import { createHash, randomUUID } from 'node:crypto'
import type { Receiver } from 'webhook-inbox'

/** How often the store is asked whether something changed, while somebody looks. */
const defaultPauseMilliseconds = 2000

/**
 * Tells readers that the inbox changed. It compares counts and the newest entry of the audits, once for all readers, and only
 * while there is a reader. A store that does not answer is no change.
 */
export class Changes {
  readonly #receiver: Receiver
  readonly #pause: number
  readonly #start = randomUUID().slice(0, 8)
  readonly #readers = new Set<() => void>()
  #count = 0
  #state: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(receiver: Receiver, pauseMilliseconds = defaultPauseMilliseconds) {
    this.#receiver = receiver
    this.#pause = pauseMilliseconds
  }

  /** The newest mark. Another start of the program has other ones. */
  get id(): string {
    return `${this.#start}-${this.#count}`
  }

  /** Calls `reader` after each change. Returns a function that ends this. */
  follow(reader: () => void): () => void {
    this.#readers.add(reader)
    if (this.#readers.size === 1) {
      this.#schedule(0)
    }
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) {
        clearTimeout(this.#timer)
        // Without a reader nothing is compared. The next reader gets a change, and reads everything.
        this.#state = undefined
      }
    }
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), pause)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    try {
      const state = await this.#read()
      if (state !== this.#state) {
        this.#state = state
        this.#count += 1
        for (const reader of this.#readers) {
          reader()
        }
      }
    } catch {
      // The next look tells.
    }
    if (this.#readers.size > 0) {
      this.#schedule(this.#pause)
    }
  }

  async #read(): Promise<string> {
    const [{ counts }, [newest]] = await Promise.all([
      this.#receiver.health(),
      this.#receiver.audits({ limit: 1 }),
    ])
    return createHash('sha256')
      .update(JSON.stringify([counts, newest?.id]))
      .digest('hex')
  }
}
