/** What is remembered of an event that is done. */
interface Done {
  readonly contentHash: string
  /** The number of the claim that completed it. */
  readonly claim: number
}

/** Events that are done, in the order in which they were. Times are in unix seconds. */
export interface DoneEvents {
  /** The last event with a key that has not expired, as it does at its `until`; at a time of NaN none has. */
  find(key: string, time: number): Done | undefined
  /** Where there is no room the oldest event is forgotten. */
  add(key: string, contentHash: string, claim: number, at: number, until: number): void
  /** Forgets up to `limit` events done before a time, the oldest first; returns how many. */
  prune(before: number, limit: number): number
}

// The words of a place, 32 bits each: the key in eight, the last of them its hash; the content hash in eight; then
const older = 16 // the event before this one in the same bucket,
const newest = 17 // and the newest event of the bucket that has the number of this place.
const wordsWide = 18

// The numbers of a place.
const claimed = 0
const doneAt = 1
const doneUntil = 2
const numbersWide = 3

/** Places come in pages of so many, each when the first of them is needed. */
const pageSize = 4096

/**
 * Remembers so many events, in 96 bytes each and out of the garbage collector’s sight: millions of objects would keep
 * it busy for longer than their deliveries take.
 *
 * Events are numbered as they are done, and each takes the place of the one `capacity` before it. The chain of a bucket
 * goes from the newest event to the oldest and ends at the first that is forgotten; so to forget one is to count it. To
 * each of the first `capacity` events belongs a bucket more, which takes its share of one other (linear hashing): there
 * is no table that a delivery might have to wait for while it grows.
 */
export function doneEvents(capacity: number): DoneEvents {
  const words: Int32Array[] = []
  const numbers: Float64Array[] = []
  /** Keys, at twice their place, and content hashes, one further, that are not 64 hexadecimal digits. */
  const odd = new Map<number, string>()
  let count = 0
  let forgotten = 0
  let buckets = 0
  /** All ones, and enough of them for the number of every bucket. */
  let mask = 0

  const get = (place: number, word: number) =>
    (words[place >> 12] as Int32Array)[(place % pageSize) * wordsWide + word] as number

  function set(place: number, word: number, value: number): void {
    ;(words[place >> 12] as Int32Array)[(place % pageSize) * wordsWide + word] = value
  }

  const numberAt = (place: number, index: number) =>
    (numbers[place >> 12] as Float64Array)[(place % pageSize) * numbersWide + index] as number

  /** The event to which a word refers, which holds the last 32 bits of its number. */
  const eventAt = (place: number, word: number) => count - ((count - get(place, word)) >>> 0)

  function bucketOf(hash: number): number {
    const bucket = hash & mask
    return bucket < buckets ? bucket : bucket & (mask >> 1)
  }

  function link(event: number): void {
    const place = event % capacity
    const bucket = bucketOf(get(place, 7))
    set(place, older, get(bucket, newest))
    set(bucket, newest, event)
  }

  /** Shares the events of a chain out between a bucket and its new half, each from the newest to the oldest as before. */
  function split(bucket: number, half: number): void {
    let event = eventAt(bucket, newest)
    /** Where the next event of each is to be noted: a place and a word. */
    const ends = [bucket, newest, half, newest]
    for (; event > forgotten; event = eventAt(event % capacity, older)) {
      const place = event % capacity
      const end = bucketOf(get(place, 7)) === half ? 2 : 0
      set(ends[end] as number, ends[end + 1] as number, event)
      ends[end] = place
      ends[end + 1] = older
    }
    set(ends[0] as number, ends[1] as number, 0)
    set(ends[2] as number, ends[3] as number, 0)
  }

  function write(side: number, text: string): void {
    const page = words[side >> 13] as Int32Array
    const start = ((side >> 1) % pageSize) * wordsWide + 8 * (side & 1)
    let valid = text.length === 64 ? 0 : -1
    for (let i = 0, word = 0; i < 64; i++) {
      const code = text.charCodeAt(i)
      // Below zero but for 0 to 9 and a to f. A regular expression takes three times as long as all the rest.
      valid |= ((code - 48) | (57 - code)) & ((code - 97) | (102 - code))
      word = (word << 4) | digit(code)
      page[start + (i >> 3)] = word
    }
    if (valid < 0) odd.set(side, text)
    else odd.delete(side)
  }

  function read(side: number): string {
    let text = ''
    for (let i = 0; i < 64; i++) {
      text += '0123456789abcdef'[(get(side >> 1, 8 * (side & 1) + (i >> 3)) >> (28 - 4 * (i & 7))) & 15]
    }
    return odd.get(side) ?? text
  }

  return {
    find(key, time) {
      const hash = hashOf(key)
      let event = buckets && eventAt(bucketOf(hash), newest)
      for (let place: number; event > forgotten; event = eventAt(place, older)) {
        place = event % capacity
        if (get(place, 7) !== hash || read(2 * place) !== key || numberAt(place, doneUntil) <= time) continue
        return { claim: numberAt(place, claimed), contentHash: read(2 * place + 1) }
      }
      return undefined
    },

    add(key, contentHash, claim, at, until) {
      const place = ++count % capacity
      forgotten = Math.max(forgotten, count - capacity)
      words[place >> 12] ??= new Int32Array(pageSize * wordsWide)
      numbers[place >> 12] ??= new Float64Array(pageSize * numbersWide)
      if (buckets < capacity) {
        if (buckets > mask) mask = 2 * mask + 1
        const half = buckets++
        split(half & (mask >> 1), half)
      }
      write(2 * place, key)
      write(2 * place + 1, contentHash)
      set(place, 7, hashOf(key))
      numbers[place >> 12]?.set([claim, at, until], (place % pageSize) * numbersWide)
      link(count)
    },

    prune(before, limit) {
      const start = forgotten
      while (forgotten < count && forgotten - start < limit) {
        if (numberAt((forgotten + 1) % capacity, doneAt) >= before) break
        forgotten++
      }
      return forgotten - start
    },
  }
}

/** Of all of a text, but for digests, whose every digit is as good as another. */
function hashOf(text: string): number {
  let hash = 0
  for (let i = text.length === 64 ? 56 : 0; i < text.length; i++) {
    hash = (hash << 4) ^ (hash >> 28) ^ digit(text.charCodeAt(i))
  }
  return hash
}

/** The value of a hexadecimal digit; of any other character, some number. */
const digit = (code: number) => (code & 15) + 9 * (code >> 6)
