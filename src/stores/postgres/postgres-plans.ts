import { type BulkStore, mostPlanned, type Plan } from '../../store/bulk-store.js'
import type { EventFilter } from '../../store/event-filter.js'
import { plannedStates } from '../../store/judge-item.js'
import { postgresFault } from './postgres-fault.js'
import { searchSql } from './postgres-search.js'
import { type Database, type Query, type Row, shortly } from './transactions.js'

/** How many events one page of a plan holds. */
export const pageSize = 500

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

export function postgresPlans<Tx>(
  database: Database<Tx>,
  schema: string,
): Pick<BulkStore, 'makePlan' | 'readPlan'> {
  const find = `SELECT endpoint, action, conditions, count, is_capped, ${time('created_at')} AS created_at
FROM ${schema}.plans WHERE id = $1::text`

  async function read(query: Query, id: string): Promise<Plan | undefined> {
    const [row] = await query(find, [id])
    return row && toPlan(id, row)
  }

  /** Writes the events of one state after those that are there; returns how many there are. */
  async function addPages(
    query: Query,
    id: string,
    where: EventFilter,
    endpoint: string | undefined,
    from: number,
  ) {
    const scope = endpoint === undefined ? { allEndpoints: true as const } : { endpoint }
    const limit = mostPlanned - from + 1
    const { text, values } = searchSql(schema, { ...where, ...scope, limit }, undefined, 'key, generation')
    const [plan, place] = [`$${values.length + 1}::text`, `$${values.length + 2}::int`]
    const [row] = await query(
      `
WITH found AS (
  SELECT key, generation, row_number() OVER () AS n FROM (${text}) AS matching
), pages AS (
  INSERT INTO ${schema}.plan_pages (plan, first, keys, generations)
  SELECT ${plan}, ${place} + min(n)::int, array_agg(key ORDER BY n), array_agg(generation ORDER BY n)
  FROM found WHERE ${place} + n <= ${mostPlanned} GROUP BY (n - 1) / ${pageSize}
)
SELECT count(*)::int AS count FROM found`,
      [...values, id, from],
    )
    return from + row?.count
  }

  return {
    async makePlan({ id, endpoint, action, where }) {
      try {
        return await database.transaction(shortly, async ({ query }) => {
          let count = 0
          for (const state of plannedStates(action, where.state)) {
            count = await addPages(query, id, { ...where, state }, endpoint, Math.min(count, mostPlanned))
          }
          await query(
            `INSERT INTO ${schema}.plans (id, endpoint, action, conditions, count, is_capped)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::int, $6::text::boolean)`,
            [
              id,
              endpoint ?? null,
              action,
              JSON.stringify(where),
              Math.min(count, mostPlanned),
              String(count > mostPlanned),
            ],
          )
          return (await read(query, id)) as Plan
        })
      } catch (error) {
        throw postgresFault('make a plan', error)
      }
    },

    async readPlan(id) {
      try {
        return await read(database.query, id)
      } catch (error) {
        throw postgresFault('read a plan', error)
      }
    },
  }
}

function toPlan(id: string, row: Row): Plan {
  const { since, until, ...rest } = JSON.parse(row.conditions)
  return {
    id,
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    action: row.action,
    where: {
      ...rest,
      ...(since && { since: new Date(since) }),
      ...(until && { until: new Date(until) }),
    },
    count: row.count,
    isCapped: row.is_capped,
    createdAt: row.created_at,
  }
}
