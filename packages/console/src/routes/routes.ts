import { auditRoutes } from './audits.js'
import { eventActs } from './event-acts.js'
import { eventRoutes } from './events.js'
import { flowRoutes } from './flow.js'
import { groupRoutes } from './groups.js'
import { overviewRoutes } from './overview.js'
import { planRoutes } from './plans.js'
import { quarantineRoutes } from './quarantine.js'
import type { Route } from './route.js'
import { runRoutes } from './runs.js'
import { snippetRoutes } from './snippet.js'
import { sourceRoutes } from './sources.js'
import { undoRoutes } from './undo.js'
import { verifyAllRoutes } from './verify-all.js'
import { workerRoutes } from './workers.js'

/** Every route below `api/`, except `me` and `stream`. */
export const routes: readonly Route[] = [
  ...overviewRoutes,
  ...groupRoutes,
  ...eventRoutes,
  ...snippetRoutes,
  ...eventActs,
  ...planRoutes,
  ...runRoutes,
  ...undoRoutes,
  ...workerRoutes,
  ...sourceRoutes,
  ...quarantineRoutes,
  ...verifyAllRoutes,
  ...flowRoutes,
  ...auditRoutes,
]
