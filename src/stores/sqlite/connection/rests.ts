import { performance } from 'node:perf_hooks'

/** The rest after reads, as a multiple of their time. */
const restFactor = 2
/** In milliseconds. A timer is no more exact than this. */
const shortestRest = 1
/** In milliseconds. A read that waited for another process says nothing about the next one. */
const longestRest = 50

/**
 * Limits the share of time that the reads of an operator take. Deliveries run in the rests. Reads that run at the same time do not
 * wait for each other, so many of them take a greater share.
 */
export class Rests {
  #owed = 0
  #until = 0

  /** Resolves when the next read may begin: after the rest, and in a later turn of the event loop. */
  async turn(): Promise<void> {
    for (let left = this.#left(); left > 0; left = this.#left()) {
      await new Promise((resolve) => setTimeout(resolve, left))
    }
    await nextTurn()
  }

  #left(): number {
    return this.#until - performance.now()
  }

  /** Notes how long a read takes. */
  async time<T>(read: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await read()
    } finally {
      const now = performance.now()
      this.#owed += restFactor * (now - startedAt)
      if (this.#owed >= shortestRest) {
        this.#until = now + Math.min(this.#owed, longestRest)
        this.#owed = 0
      }
    }
  }
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
