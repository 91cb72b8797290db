import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'

const expired = `
  SELECT id FROM webhook_inbox_plans AS p WHERE created_at < ? AND NOT EXISTS (
    SELECT 1 FROM webhook_inbox_runs AS r WHERE r.plan = p.id AND (r.ended_at IS NULL OR r.ended_at >= ?))
  ORDER BY created_at LIMIT 1`

/** Prevents new runs of a plan. */
const hide = [
  'UPDATE webhook_inbox_plans SET is_ready = 0 WHERE id = ?',
  'DELETE FROM webhook_inbox_run_items WHERE run IN (SELECT id FROM webhook_inbox_runs WHERE plan = ?)',
  'DELETE FROM webhook_inbox_runs WHERE plan = ?',
]

const deleteItems = `
  DELETE FROM webhook_inbox_plan_items WHERE plan = ? AND place IN (
    SELECT place FROM webhook_inbox_plan_items WHERE plan = ? ORDER BY place LIMIT ?)`

const deletePlan = 'DELETE FROM webhook_inbox_plans WHERE id = ?'

/** How many events of a plan one transaction deletes. Deliveries wait for it, for less than a millisecond. */
const largestPart = 100

/** Deletes plans with their runs. Resolves to how many. A plan that is half deleted is continued by the next call. */
export async function prunePlans<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  retentionSeconds: number,
  limit: number,
): Promise<number> {
  const write = <T>(run: () => T) => connection.writePart('prune the plans', run)

  function hideNext(): string | undefined {
    const before = Date.now() - milliseconds(retentionSeconds)
    const [plan] = connection.all<{ id: string }>(expired, before, before)
    for (const sql of plan ? hide : []) {
      connection.run(sql, (plan as { id: string }).id)
    }
    return plan?.id
  }

  /** Returns false if there is more to delete. */
  function deletePart(plan: string): boolean {
    const isLast = connection.run(deleteItems, plan, plan, largestPart) < largestPart
    if (isLast) {
      connection.run(deletePlan, plan)
    }
    return isLast
  }

  for (let count = 0; count < limit; count++) {
    const plan = await write(hideNext)
    if (plan === undefined) {
      return count
    }
    while (!(await write(() => deletePart(plan)))) {}
  }
  return limit
}
