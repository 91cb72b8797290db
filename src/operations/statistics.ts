import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Sources } from '../store/sources.js'
import type { Statistics } from '../store/statistics-store.js'
import { type ScopeOption, scopeOf } from './check-arguments.js'
import { capability } from './inbox-of.js'

/** Counts and latencies, for a page or a report. */
export interface StatisticsOperations {
  /**
   * Counts, latencies and what arrived since a time, in `buckets` intervals of equal length, 60 by default. `since` is an hour
   * ago by default. Counts stop at a limit, so that it takes the same time in an inbox of any size.
   */
  statistics(
    query?: { readonly since?: Date | undefined; readonly buckets?: number | undefined } & ScopeOption,
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
      const given = givenOptions('statistics', query, ['since', 'buckets', 'allEndpoints'])
      const { since = new Date(Date.now() - 3_600_000), buckets = 60 } = given as typeof query
      return capability(settings, 'statistics').read({ since, buckets, ...scopeOf(given, settings.endpoint) })
    },

    sources: async () => capability(settings, 'statistics').sources(settings.endpoint),
  }
}
