import { selectedStates } from '../../../store/action-states.js'
import { conditionsFrom, mostPlanned, type NewPlan, type Plan } from '../../../store/bulk-plan.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import type { InboxState } from '../../../store/inbox.js'
import { withFault } from '../connection/postgres-fault.js'
import { timeColumn } from '../connection/time-column.js'
import { type Database, type Query, type Row, shortly } from '../connection/transactions.js'
import { selectionSql } from '../events/postgres-search.js'

/** How many events one page of a plan holds. */
export const pageSize = 500

/** The place after the last possible event of a plan. A page begins there. */
const overflow = mostPlanned + 1

export function postgresPlans<Tx>(
  database: Database<Tx>,
  schema: string,
): Pick<BulkStore, 'makePlan' | 'readPlan' | 'plans'> {
  const select = `SELECT id, endpoint, action, conditions, count, is_capped, ${timeColumn('plans.created_at')}
FROM ${schema}.plans`

  const dropOverflow = `DELETE FROM ${schema}.plan_pages WHERE plan = $1::text AND first = ${overflow}`

  async function read(query: Query, id: string): Promise<Plan | undefined> {
    const [row] = await query(`${select} WHERE id = $1::text`, [id])
    return row && toPlan(row)
  }

  /**
   * Adds events with one state to a plan. The plan has `from` events before. Returns the new number. The rows arrive in
   * order. With `ORDER BY n` Postgres would sort all of them again, on disk, which takes half of the time.
   */
  async function addPages(query: Query, { id, endpoint, where }: NewPlan, state: InboxState, from: number) {
    const { text, values } = selectionSql(schema, state, { ...where, endpoint }, overflow - from)
    const [plan, place] = [`$${values.length + 1}::text`, `$${values.length + 2}::int`]
    const [row] = await query(
      `
WITH pages AS (
  INSERT INTO ${schema}.plan_pages (plan, first, keys, generations)
  SELECT ${plan}, ${place} + min(n)::int, array_agg(key), array_agg(generation)
  FROM (SELECT key, generation, row_number() OVER () AS n FROM (${text}) AS matching) AS numbered
  GROUP BY (${place} + n - 1) / ${pageSize}
  RETURNING cardinality(keys) AS count
)
SELECT coalesce(sum(count), 0)::int AS count FROM pages`,
      [...values, id, from],
    )
    return from + row?.count
  }

  return {
    makePlan: (plan) =>
      withFault('make a plan', () =>
        database.transaction(shortly, async ({ query }) => {
          const { id, endpoint, action, where } = plan
          let count = 0
          for (const state of selectedStates(action, where)) {
            count = await addPages(query, plan, state, count)
          }
          if (count === overflow) {
            await query(dropOverflow, [id])
          }
          await query(
            `INSERT INTO ${schema}.plans (id, endpoint, action, conditions, count, is_capped)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::int, $6::text::boolean)`,
            [
              id,
              endpoint,
              action,
              JSON.stringify(where),
              Math.min(count, mostPlanned),
              String(count > mostPlanned),
            ],
          )
          return (await read(query, id)) as Plan
        }),
      ),

    async plans({ endpoint, limit, startsWith = '' }) {
      const text = `${select} WHERE starts_with(id, $1::text) AND ($2::text IS NULL OR endpoint = $2::text)
ORDER BY plans.created_at DESC, id LIMIT $3::int`
      const values = [startsWith, endpoint ?? null, limit]
      return (await withFault('list the plans', () => database.query(text, values))).map(toPlan)
    },

    readPlan: (id) => withFault('read a plan', () => read(database.query, id)),
  }
}

function toPlan(row: Row): Plan {
  return {
    id: row.id,
    endpoint: row.endpoint,
    action: row.action,
    where: conditionsFrom(row.conditions),
    count: row.count,
    isCapped: row.is_capped,
    createdAt: row.created_at,
  }
}
