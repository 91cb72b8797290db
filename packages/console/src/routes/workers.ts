import type { SeenWorker } from 'webhook-inbox'
import { isLate } from '../is-late.js'
import type { Resolved } from '../options.js'
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
      return workers.map((worker) => ({
        id: worker.id,
        process: worker.process,
        version: worker.version,
        startedAt: worker.startedAt,
        seenAt: worker.seenAt,
        isLate: !mayMissReports && isLate(worker),
        limitedTypes: worker.limited.types,
        limitedResources: resourcesOf(worker, options),
      }))
    },
  },
]

/** A resource may be a masked value. */
const resourcesOf = ({ limited: { resources } }: SeenWorker, { mask }: Pick<Resolved, 'mask'>) =>
  mask && resources.length > 0 ? [masked] : resources
