/** Up to this many keys an insertion sort is quicker than `sort`. */
const few = 16

/**
 * Sorts the keys in place and returns them, as `sort` does. Most objects have few keys. For few keys this is faster
 * than `sort`: with `sort`, receiving a delivery of 1 kB takes about 6 % longer.
 */
export function sortKeys(keys: string[]): string[] {
  if (keys.length > few) {
    return keys.sort()
  }
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let place = i
    while (place > 0 && (keys[place - 1] as string) > key) {
      keys[place] = keys[place - 1] as string
      place--
    }
    keys[place] = key
  }
  return keys
}
