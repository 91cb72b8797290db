import { withFault } from '../connection/postgres-fault.js'
import { type Database, shortly } from '../connection/transactions.js'

/** `$1` seconds. */
const expired = (schema: string) => `
p.created_at < now() - make_interval(secs => $1::float8) AND NOT EXISTS (
  SELECT FROM ${schema}.runs AS r
  WHERE r.plan = p.id AND coalesce(r.ended_at >= now() - make_interval(secs => $1::float8), true))`

/** Deletes plans with their runs, each in a transaction of its own. Resolves to how many. */
export function postgresPrunePlans(database: Database<unknown>, schema: string) {
  // The second statement sees a run that was started while the first one waited for its lock.
  const find = `
SELECT id FROM ${schema}.plans AS p WHERE ${expired(schema)} ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`
  const remove = `
WITH gone AS (
  DELETE FROM ${schema}.plans AS p WHERE id = $2::text AND ${expired(schema)} RETURNING id
), pages AS (
  DELETE FROM ${schema}.plan_pages WHERE plan IN (SELECT id FROM gone)
), over AS (
  DELETE FROM ${schema}.runs WHERE plan IN (SELECT id FROM gone) RETURNING id
), items AS (
  DELETE FROM ${schema}.run_items WHERE run IN (SELECT id FROM over)
)
SELECT id FROM gone`

  const pruneOne = (retentionSeconds: number) =>
    database.transaction(shortly, async ({ query }) => {
      const [plan] = await query(find, [retentionSeconds])
      return plan !== undefined && (await query(remove, [retentionSeconds, plan.id])).length > 0
    })

  return (retentionSeconds: number, limit: number): Promise<number> =>
    withFault('prune the plans', async () => {
      let count = 0
      while (count < limit && (await pruneOne(retentionSeconds))) {
        count++
      }
      return count
    })
}
