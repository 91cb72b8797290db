import { invalidOption } from '../errors.js'

/**
 * Returns the list in another order, which depends only on the seed. The order of a list of two or more items always
 * changes. Otherwise a test of reordering could pass without any reordering.
 *
 * @example
 * const order = shuffle([1, 2, 3], 7)
 */
export function shuffle<T>(list: readonly T[], seed = 1): T[] {
  if (!Array.isArray(list) || !Number.isFinite(seed)) {
    throw invalidOption('shuffle takes a list, and a number as its seed')
  }
  const random = mulberry32(seed)
  const order = list.map((_, index) => index)
  for (let last = order.length - 1; last > 0; last--) {
    const pick = Math.floor(random() * (last + 1))
    const moved = order[last] as number
    order[last] = order[pick] as number
    order[pick] = moved
  }
  if (order.every((place, index) => place === index)) {
    order.push(...order.splice(0, 1))
  }
  return order.map((index) => list[index] as T)
}

/** A random number generator for [0, 1) with a seed, which `Math.random` does not have. Not for secrets. */
function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
