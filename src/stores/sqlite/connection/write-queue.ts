/** How many writes one transaction takes at most, so that it does not block the event loop for long. */
const largestGroup = 1000

export interface Queued {
  /** Whether it is a part of long work. Then it has a transaction of its own. */
  readonly isPart: boolean
}

/** The writes that wait for a transaction. Parts of long work and other writes take turns. */
export class WriteQueue<Write extends Queued> {
  #writes: Write[] = []
  #parts: Write[] = []
  #isTurnOfParts = false

  get isEmpty(): boolean {
    return this.#writes.length + this.#parts.length === 0
  }

  add(write: Write): void {
    const queue = write.isPart ? this.#parts : this.#writes
    queue.push(write)
  }

  /** Takes the writes of the next transaction. Neither kind waits for more than one transaction of the other. */
  take(): readonly Write[] {
    const isPart = this.#parts.length > 0 && (this.#isTurnOfParts || this.#writes.length === 0)
    this.#isTurnOfParts = !isPart && this.#parts.length > 0
    return isPart ? this.#parts.splice(0, 1) : this.#writes.splice(0, largestGroup)
  }

  /** Puts writes back that were taken together. */
  putBack(writes: readonly Write[]): void {
    const queue = writes[0]?.isPart ? this.#parts : this.#writes
    queue.unshift(...writes)
  }
}
