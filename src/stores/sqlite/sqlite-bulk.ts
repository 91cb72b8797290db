import type { BulkStore } from '../../store/bulk-store.js'
import type { Connection } from './connection.js'
import { sqliteApplied } from './sqlite-applied.js'
import { sqliteCopies } from './sqlite-copies.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { sqlitePlans } from './sqlite-plans.js'
import { prunePlans } from './sqlite-prune-plans.js'
import { sqliteRuns } from './sqlite-runs.js'
import { sqliteStep } from './sqlite-step.js'
import { sqliteUndo } from './sqlite-undo.js'
import type { SqliteTx } from './tx.js'

/** Plans, runs over them, and undo. */
export const sqliteBulk = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
): BulkStore<SqliteTx<Database>> => ({
  ...sqlitePlans(connection),
  ...sqliteRuns(connection),
  ...sqliteApplied(connection),
  ...sqliteUndo(connection),
  ...sqliteCopies(connection),
  step: sqliteStep(connection),
  prunePlans: (retentionSeconds, limit) => prunePlans(connection, retentionSeconds, limit),
})
