import { ConfigurationError } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { Statistics } from '../store/statistics-store.js'
import { type ScopeOption, scopeOf } from './check-arguments.js'
import { inboxOf } from './inbox-of.js'

/** How the inbox does, for a page or a report. */
export interface StatisticsOperations {
  /**
   * Counts, latencies and what arrived since a time, in `buckets` spans of equal length, 60 by default. `since` is an hour ago by
   * default. Counts stop at a limit, so that it costs the same in an inbox of any size.
   */
  statistics(
    query?: { readonly since?: Date | undefined; readonly buckets?: number | undefined } & ScopeOption,
  ): Promise<Statistics>
}

export function statisticsOperations(settings: Settings): StatisticsOperations {
  return {
    async statistics(query = {}) {
      const given = givenOptions('statistics', query, ['since', 'buckets', 'allEndpoints'])
      const { statistics } = inboxOf(settings)
      if (!statistics) {
        throw new ConfigurationError('invalid_store', 'this store has no statistics')
      }
      const { since = new Date(Date.now() - 3_600_000), buckets = 60 } = given as typeof query
      return statistics.read({ since, buckets, ...scopeOf(given, settings.endpoint) })
    },
  }
}
