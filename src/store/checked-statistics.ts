import { invalidOption } from '../errors.js'
import { checkName, checkTime } from './check-values.js'
import { checkScope } from './endpoint-scope.js'
import { mostBuckets, type StatisticsStore } from './statistics-store.js'

/** Statistics that check their arguments. Rejects with `ConfigurationError` `invalid_option`. */
export function checkedStatistics(statistics: StatisticsStore): StatisticsStore {
  return {
    async read(query) {
      checkScope(query)
      const { since, buckets } = query
      checkTime('since', since)
      if (!Number.isSafeInteger(buckets) || buckets < 1 || buckets > mostBuckets) {
        throw invalidOption(`buckets must be a whole number from 1 to ${mostBuckets}`)
      }
      return statistics.read(query)
    },

    async sources(endpoint) {
      checkName('endpoint', endpoint)
      return statistics.sources(endpoint)
    },
  }
}
