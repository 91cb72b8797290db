import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Sources } from '../store/sources.js'
import type { Statistics, StatisticsQuery } from '../store/statistics-store.js'
import { type ScopeOption, scopeOf } from './check-arguments.js'
import { capability } from './inbox-of.js'

/** Counts and latencies, for a page or a report. */
export interface StatisticsOperations {
  /**
   * Counts, latencies and what arrived, in `buckets` intervals of equal length, 60 by default and at most 100. Counts stop at a
   * limit, so that it takes the same time in an inbox of any size.
   *
   * - `since` divides the time from there until now. An hour ago by default.
   * - `bucketSeconds`, instead of `since`, gives each interval this length. They begin at multiples of it since 1970, so the
   *   figures of a past interval stay the same from one call to the next. The last interval has not ended.
   */
  statistics(
    query?: {
      readonly since?: Date | undefined
      readonly bucketSeconds?: number | undefined
      readonly buckets?: number | undefined
    } & ScopeOption,
  ): Promise<Statistics>
  /**
   * When each type of this endpoint last arrived. A source is silent if no event has come for at least an hour. Its mean rate
   * of the day before must have promised more than twenty events in that time. A type without an event for a week is left out.
   */
  sources(): Promise<Sources>
}

export function statisticsOperations(settings: Settings): StatisticsOperations {
  return {
    async statistics(query = {}) {
      const given = givenOptions('statistics', query, ['since', 'bucketSeconds', 'buckets', 'allEndpoints'])
      const { since, bucketSeconds, buckets = 60 } = given as typeof query
      const scope = scopeOf(given, settings.endpoint)
      const from = bucketSeconds === undefined ? (since ?? anHourAgo()) : since
      return capability(settings, 'statistics').read({
        since: from,
        bucketSeconds,
        buckets,
        ...scope,
      } as StatisticsQuery)
    },

    sources: async () => capability(settings, 'statistics').sources(settings.endpoint),
  }
}

const anHourAgo = () => new Date(Date.now() - 3_600_000)
