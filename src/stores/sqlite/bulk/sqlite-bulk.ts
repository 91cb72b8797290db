import type { BulkStore } from '../../../store/bulk-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import type { SqliteTx } from '../connection/tx.js'
import { sqliteUndo } from '../operate/sqlite-undo.js'
import { sqliteCopies } from './sqlite-accept-from.js'
import { sqliteApplied } from './sqlite-applied.js'
import { sqlitePlans } from './sqlite-plans.js'
import { prunePlans } from './sqlite-prune-plans.js'
import { sqliteRuns } from './sqlite-runs.js'
import { sqliteStep } from './sqlite-step.js'

/** Plans, runs over them, and undo. */
export const sqliteBulk = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
): BulkStore<SqliteTx<Database>> => ({
  ...sqlitePlans(connection),
  ...sqliteRuns(connection),
  ...sqliteApplied(connection),
  ...sqliteUndo(connection),
  ...sqliteCopies(connection),
  // The driver is synchronous: a delivery waits for a whole step.
  largestStep: 2,
  step: sqliteStep(connection),
  prunePlans: (retentionSeconds, limit) => prunePlans(connection, retentionSeconds, limit),
})
