import { invalidOption } from '../errors.js'
import { checkScope } from './check-query.js'
import { mostBuckets, type StatisticsStore } from './statistics-store.js'

/** Statistics that check their arguments. Rejects with `ConfigurationError` `invalid_option`. */
export function checkedStatistics(statistics: StatisticsStore): StatisticsStore {
  return {
    async read(query) {
      checkScope(query)
      const { since, buckets } = query
      if (!(since instanceof Date) || Number.isNaN(since.getTime())) {
        throw invalidOption('since must be a valid Date')
      }
      if (!Number.isSafeInteger(buckets) || buckets < 1 || buckets > mostBuckets) {
        throw invalidOption(`buckets must be a whole number from 1 to ${mostBuckets}`)
      }
      return statistics.read(query)
    },
  }
}
