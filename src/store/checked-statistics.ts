import { invalidOption } from '../errors.js'
import { checkName, checkTime } from './check-values.js'
import { checkScope } from './endpoint-scope.js'
import { longestBucket, mostBuckets, type StatisticsStore } from './statistics-store.js'

/** Statistics that check their arguments. Rejects with `ConfigurationError` `invalid_option`. */
export function checkedStatistics(statistics: StatisticsStore): StatisticsStore {
  return {
    async read(query) {
      checkScope(query)
      const { since, bucketSeconds, buckets } = query
      checkWhole('buckets', buckets, mostBuckets)
      if (bucketSeconds === undefined) {
        checkTime('since', since)
      } else if (since === undefined) {
        checkWhole('bucketSeconds', bucketSeconds, longestBucket)
      } else {
        throw invalidOption('give since or bucketSeconds, not both')
      }
      return statistics.read(query)
    },

    async sources(endpoint) {
      checkName('endpoint', endpoint)
      return statistics.sources(endpoint)
    },
  }
}

function checkWhole(name: string, value: unknown, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > most) {
    throw invalidOption(`${name} must be a whole number from 1 to ${most.toLocaleString('en')}`)
  }
}
