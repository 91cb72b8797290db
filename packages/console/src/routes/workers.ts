import { isLate } from '../is-late.js'
import { Problem } from '../problem.js'
import { masked } from '../views/mask.js'
import type { WorkerRow } from '../wire.js'
import type { Route } from './route.js'

export const workerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/workers',
    action: 'overview:read',
    async run({ receiver, options, mayMissReports }): Promise<readonly WorkerRow[]> {
      const workers = await receiver.workers()
      if (mayMissReports && workers.length === 0) {
        throw new Problem('store_unavailable', 'The database was away, so no process could report.')
      }
      return workers.map(({ id, process, version, startedAt, seenAt, limited }) => ({
        id,
        process,
        version,
        startedAt,
        seenAt,
        isLate: !mayMissReports && isLate(seenAt),
        limitedTypes: limited.types,
        // A resource may be a masked value.
        limitedResources: options.mask && limited.resources.length > 0 ? [masked] : limited.resources,
      }))
    },
  },
]
