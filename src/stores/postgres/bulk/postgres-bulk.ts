import type { BulkStore } from '../../../store/bulk-store.js'
import type { Database } from '../connection/transactions.js'
import { postgresUndo } from '../operate/postgres-undo.js'
import { postgresCopies } from './postgres-accept-from.js'
import { postgresApplied } from './postgres-applied.js'
import { postgresPlans } from './postgres-plans.js'
import { postgresPrunePlans } from './postgres-prune-plans.js'
import { postgresRuns } from './postgres-runs.js'
import { postgresStep } from './postgres-step.js'

/** Plans, runs over them, and undo. */
export const postgresBulk = <Tx>(database: Database<Tx>, schema: string): BulkStore<Tx> => ({
  ...postgresPlans(database, schema),
  ...postgresRuns(database, schema),
  ...postgresApplied(database, schema),
  ...postgresUndo(database, schema),
  ...postgresCopies(database, schema),
  step: postgresStep(database, schema),
  prunePlans: postgresPrunePlans(database, schema),
})
