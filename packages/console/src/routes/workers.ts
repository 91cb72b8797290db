import { masked } from '../views/mask.js'
import type { WorkerRow } from '../wire.js'
import type { Route } from './route.js'

export const workerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/workers',
    action: 'overview:read',
    async run({ receiver, options }): Promise<readonly WorkerRow[]> {
      const workers = await receiver.workers()
      return workers.map(({ id, process, version, startedAt, seenAt, limited }) => ({
        id,
        process,
        version,
        startedAt,
        seenAt,
        limitedTypes: limited.types,
        // A resource may be a masked value.
        limitedResources: options.mask && limited.resources.length > 0 ? [masked] : limited.resources,
      }))
    },
  },
]
