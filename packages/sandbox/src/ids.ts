import { createHash } from 'node:crypto'

/** The kind of an identifier: the text before its first underscore. */
export type IdPrefix = 'tr' | 'wallet' | 'apr' | 'je' | 'evt' | 'whe' | 'dlv' | 'req' | 'start'

/**
 * Makes identifiers such as `tr_01KB2N7Q3W0000T9D4XG7M2KQV`: 10 characters for the time, 4 for a counter within the
 * millisecond, and 12 random ones. They sort by the time of their creation.
 *
 * The random characters depend on the seed. So the same seed, clock and order of calls give the same identifiers.
 */
export class Ids {
  readonly #seed: string
  readonly #now: () => number
  readonly #counts = new Map<IdPrefix, number>()
  #time = 0
  #withinTime = 0

  /** `seed` must differ at each start on the same state file, or a clock set back could repeat an identifier. */
  constructor(seed: string, now: () => number) {
    this.#seed = seed
    this.#now = now
  }

  next(prefix: IdPrefix, kind = ''): string {
    const time = Math.max(this.#time, Math.floor(this.#now()))
    this.#withinTime = time === this.#time ? this.#withinTime + 1 : 0
    this.#time = time
    const count = (this.#counts.get(prefix) ?? 0) + 1
    this.#counts.set(prefix, count)
    return `${prefix}_${kind && `${kind}_`}${base32(time, 10)}${base32(this.#withinTime, 4)}${this.#chance(prefix, count)}`
  }

  #chance(prefix: IdPrefix, count: number): string {
    const digest = createHash('sha256').update(`${this.#seed}:${prefix}:${count}`).digest()
    return base32(digest.readUIntBE(0, 6), 6) + base32(digest.readUIntBE(6, 6), 6)
  }
}

/** Crockford's digits: no I, L, O or U, which people misread. They stand in the order of their character codes. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The last `length` digits of a whole number. */
function base32(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let place = 0; place < length; place++) {
    text = digits[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
