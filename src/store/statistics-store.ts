import type { CappedCount } from './capped-count.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { Sources } from './sources.js'

/** Counts stop here. One more index entry tells whether there is more. */
export const mostCounted = 10_000
/** Maximum number of buckets of one query. */
export const mostBuckets = 100
/** The longest bucket, in seconds: a leap year. */
export const longestBucket = 31_622_400
/** Done events whose latency is read for one bucket. */
export const mostTimed = 100

/** The time to read: `buckets` intervals of equal length, the last of which contains the present moment. */
export type StatisticsQuery = EndpointScope & {
  readonly buckets: number
} & (
    | { /** Divide the time from here until now. */ readonly since: Date; readonly bucketSeconds?: undefined }
    | {
        /**
         * A whole number. Each bucket begins at a multiple of it since 1970, and the last one has not ended. So events do not
         * move from one bucket to the next while time passes.
         */
        readonly bucketSeconds: number
        readonly since?: undefined
      }
  )

/** In seconds, from the acceptance of an event to its end. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The events that arrived in one interval, by their current state. */
export interface StatisticsBucket {
  /** RFC 3339. */
  readonly startsAt: string
  readonly received: number
  readonly done: number
  readonly dead: number
  /**
   * Of up to 100 done events, chosen evenly among those counted. A replayed event has none: its time includes that until the
   * replay. Absent if there is none.
   */
  readonly latency?: Latency
  /** Whether more arrived than was counted. The limit is 10,000 of each state, and as low as 1,000 if many intervals are busy. */
  readonly isCapped: boolean
}

/** Counts and latencies of the inbox. */
export interface Statistics {
  /** RFC 3339, by the database’s clock, as the other times. */
  readonly at: string
  readonly since: string
  /** How long an interval is. */
  readonly bucketSeconds: number
  readonly accepted: CappedCount
  readonly failed: CappedCount
  readonly dead: CappedCount
  readonly quarantined: CappedCount
  /**
   * How long the oldest unprocessed event has waited, in seconds: since its arrival, or since its last replay. 0 when every
   * event is done or dead. It is found among the first 10,000 events of each state.
   */
  readonly oldestWaitingSeconds: number
  /** When the newest event arrived, edited copies apart: of a released event, its delivery. Absent if none is kept. */
  readonly lastReceivedAt?: string
  /**
   * Estimated from those of the buckets. Each counts as much as its done events that were not replayed. Absent if none has one.
   */
  readonly latency?: Latency
  /** Oldest first. */
  readonly buckets: readonly StatisticsBucket[]
}

/**
 * Counts and latencies of an inbox, for a page that people keep open. `inboxSuite` checks its laws.
 *
 * - It reads a bounded number of rows, and says where it stopped.
 * - The limit of rows applies to all endpoints together. If other endpoints are busy, the count of a quiet one can be too low.
 *   `isCapped` is then true.
 * - It takes no lock that a delivery waits for.
 * - A store may read it in several statements. An event whose state changes meanwhile can be missed, or counted in two states.
 */
export interface StatisticsStore {
  read(query: StatisticsQuery): Promise<Statistics>
  /** When each type of an endpoint last arrived, and whether it has stopped sending. */
  sources(endpoint: string): Promise<Sources>
}

/** Durations of some events of a bucket. */
export interface Timed {
  readonly seconds: readonly number[]
  /** How many events they stand for. */
  readonly events: number
}

/**
 * The percentiles of durations, by the nearest rank; `undefined` if there is none. A duration stands for one event or more, also
 * where the count of the events ended before it.
 */
export function latencyOf(samples: readonly Timed[]): Latency | undefined {
  const sorted = samples
    .flatMap(({ seconds, events }) =>
      seconds.map((each) => ({ each, weight: Math.max(1, events / seconds.length) })),
    )
    .toSorted((a, b) => a.each - b.each)
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0)
  const rank = (part: number) => {
    // The sum of fractions may miss a whole number by a little.
    let missing = part * total * (1 - 1e-9)
    const found = sorted.find(({ weight }) => {
      missing -= weight
      return missing <= 0
    })
    return Math.max(0, found?.each ?? 0)
  }
  return sorted.length === 0 ? undefined : { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99) }
}
