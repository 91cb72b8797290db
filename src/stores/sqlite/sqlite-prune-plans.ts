import type { Connection } from './connection.js'
import { milliseconds } from './milliseconds.js'
import type { SqliteDatabase } from './sqlite-database.js'

const expired = `
  SELECT id FROM webhook_inbox_plans AS p WHERE created_at < ? AND NOT EXISTS (
    SELECT 1 FROM webhook_inbox_runs AS r WHERE r.plan = p.id AND (r.ended_at IS NULL OR r.ended_at >= ?))
  ORDER BY created_at LIMIT 1`

const deletions = [
  'DELETE FROM webhook_inbox_run_items WHERE run IN (SELECT id FROM webhook_inbox_runs WHERE plan = ?)',
  'DELETE FROM webhook_inbox_runs WHERE plan = ?',
  'DELETE FROM webhook_inbox_plan_items WHERE plan = ?',
  'DELETE FROM webhook_inbox_plans WHERE id = ?',
]

/** Deletes plans with their runs, each in a transaction of its own. Resolves to how many. */
export async function prunePlans<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  retentionSeconds: number,
  limit: number,
): Promise<number> {
  for (let count = 0; count < limit; count++) {
    const isDeleted = await connection.writeSteps('prune the plans', () => {
      const before = Date.now() - milliseconds(retentionSeconds)
      const [plan] = connection.all<{ id: string }>(expired, before, before)
      for (const sql of plan ? deletions : []) {
        connection.run(sql, (plan as { id: string }).id)
      }
      return plan !== undefined
    })
    if (!isDeleted) {
      return count
    }
  }
  return limit
}
