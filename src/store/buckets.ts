import { mostCounted, type StatisticsQuery } from './statistics-store.js'

/** The least number of events to count for one state in a busy bucket. */
export const mostInBucket = 1000
/** Events to count for one state in all buckets. Many buckets exceed it, because each may have `mostInBucket`. */
const mostInAll = 60_000

/** Where the first bucket begins and how long each is, in seconds. `now` and `from` are seconds since 1970. */
export function spanOf(query: StatisticsQuery, now: number): { from: number; bucketSeconds: number } {
  const { buckets, bucketSeconds } = query
  if (bucketSeconds !== undefined) {
    const ends = (Math.floor(now / bucketSeconds) + 1) * bucketSeconds
    return { from: ends - buckets * bucketSeconds, bucketSeconds }
  }
  const from = Math.min(query.since.getTime() / 1000, now - 1)
  return { from, bucketSeconds: (now - from) / buckets }
}

/**
 * How far to count in each bucket. `seen` is what a count to one more than `mostInBucket` found. The busy buckets share what the
 * quiet ones do not use. So a burst is counted to its end, and its sample comes from all of it.
 */
export function limitsOf(seen: readonly number[]): number[] {
  const busy = seen.filter((count) => count > mostInBucket)
  const quiet = seen.filter((count) => count <= mostInBucket).reduce((sum, count) => sum + count, 0)
  const each = Math.floor((mostInAll - quiet) / busy.length)
  const limit = Math.max(mostInBucket, Math.min(mostCounted, each))
  return seen.map((count) => (count > mostInBucket ? limit : mostInBucket))
}

/**
 * Orders events so that the first of them are spread evenly over all, and are the same at the next reading. `seq` counts up.
 * The factor is 65,536 divided by the golden ratio.
 */
export const spread = (seq: string) => `${seq} * 40503 % 65536`
