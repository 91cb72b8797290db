import { Problem } from '../problem.js'
import type { Overview } from '../wire.js'
import { part } from './part.js'
import type { Route } from './route.js'

/** The number of intervals of the time window. */
const buckets = 60
/** The longest window, in hours. */
const mostHours = 24 * 31

export const overviewRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/overview',
    action: 'overview:read',
    async run(call): Promise<Overview> {
      const { receiver, query } = call
      const hours = hoursOf(query)
      // Of whole seconds, so that the figures of a past interval stay the same from one reading to the next.
      const bucketSeconds = Math.max(1, Math.round((hours * 3600) / buckets))
      const [statistics, versions] = await Promise.all([
        part(call, () => receiver.statistics({ bucketSeconds, buckets })),
        part(call, () => receiver.versions()),
      ])
      return {
        guarantee: receiver.describe(),
        hours,
        statistics,
        ...('value' in versions && { versions: versions.value }),
      }
    },
  },
]

function hoursOf(query: URLSearchParams): number {
  const hours = Number(query.get('hours') ?? 1)
  if (!(hours > 0 && hours <= mostHours)) {
    throw new Problem('invalid_request', `hours must be a number above 0, at most ${mostHours}`)
  }
  return hours
}
