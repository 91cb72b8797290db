import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { sqliteAttempts } from './sqlite-attempts-column.js'
import { sqliteAuditStates } from './sqlite-audit-states.js'
import { sqliteAuditSubjects } from './sqlite-audit-subjects.js'
import { sqliteAuditsTable } from './sqlite-audits-table.js'
import { sqliteBulkTables } from './sqlite-bulk-tables.js'
import { sqliteChanges } from './sqlite-changes-columns.js'
import { sqliteCircuitTimes } from './sqlite-circuit-times.js'
import { sqliteCopiesIndex } from './sqlite-copies-index.js'
import { sqliteDelivered } from './sqlite-delivered-column.js'
import { sqliteFailureGroups } from './sqlite-failure-groups.js'
import { sqliteFirstTables } from './sqlite-first-tables.js'
import { sqliteFlowTables } from './sqlite-flow-tables.js'
import { sqlitePlanIndexes } from './sqlite-plan-indexes.js'
import { sqliteQuarantinePlaces } from './sqlite-quarantine-places.js'
import { sqliteReadyPlans } from './sqlite-ready-plans.js'
import { sqliteRestored } from './sqlite-restored-column.js'
import { sqliteRhythm } from './sqlite-rhythm.js'
import { sqliteTraceContext } from './sqlite-trace-context.js'

/**
 * The SQL from each version to the next. A published version is never edited. Each must leave the program of the
 * previous version working, because both write to one file during a deploy. So columns and tables are added, not
 * renamed or removed.
 */
export const migrations: readonly string[] = [
  ...sqliteFirstTables,
  sqliteAuditsTable,
  sqliteTraceContext,
  sqliteFlowTables,
  sqliteFailureGroups,
  sqliteBulkTables,
  sqlitePlanIndexes,
  sqliteRhythm,
  sqliteCircuitTimes,
  sqliteAttempts,
  sqliteReadyPlans,
  sqliteCopiesIndex,
  sqliteRestored,
  sqliteAuditSubjects,
  sqliteChanges,
  sqliteDelivered,
  sqliteQuarantinePlaces,
  sqliteAuditStates,
]

/** Creates what is missing. Does nothing if another process was first, or if the tables are newer. */
export function migrate(database: SqliteDatabase): void {
  if (versionOf(database) >= migrations.length) {
    return
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec('CREATE TABLE IF NOT EXISTS webhook_inbox_schema (version INTEGER NOT NULL)')
    for (const sql of migrations.slice(versionOf(database))) {
      database.exec(sql)
      database.prepare('INSERT INTO webhook_inbox_schema (version) VALUES (?)').run(versionOf(database) + 1)
    }
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** In a table of its own, because `user_version` belongs to the program that owns the file. */
function versionOf(database: SqliteDatabase): number {
  const [table] = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'webhook_inbox_schema'").all()
  if (!table) {
    return 0
  }
  const [row] = database
    .prepare('SELECT coalesce(max(version), 0) AS version FROM webhook_inbox_schema')
    .all()
  return Number((row as { version: number | bigint }).version)
}
