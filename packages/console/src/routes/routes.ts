import { auditRoutes } from './audits.js'
import { eventActs } from './event-acts.js'
import { eventRoutes } from './events.js'
import { flowRoutes } from './flow.js'
import { groupRoutes } from './groups.js'
import { overviewRoutes } from './overview.js'
import { quarantineRoutes } from './quarantine.js'
import type { Route } from './route.js'

/** Every route below `api/`, except `me` and `stream`. */
export const routes: readonly Route[] = [
  ...overviewRoutes,
  ...groupRoutes,
  ...eventRoutes,
  ...eventActs,
  ...quarantineRoutes,
  ...flowRoutes,
  ...auditRoutes,
]
