/** The random decisions of a run. A seed repeats them, apart from the timing of the machine. */
export class Random {
  #state: number

  constructor(readonly seed: number) {
    this.#state = seed | 0
  }

  /** Returns a number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Returns an integer from 0 to `below`, exclusive. */
  below(below: number): number {
    return Math.floor(this.next() * below)
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) {
      throw new Error('nothing to pick from')
    }
    return list[this.below(list.length)] as T
  }

  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list]
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      ;[shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T]
    }
    return shuffled
  }
}
