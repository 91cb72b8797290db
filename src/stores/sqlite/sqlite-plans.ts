import { type BulkStore, mostPlanned, type Plan } from '../../store/bulk-store.js'
import type { EventFilter } from '../../store/event-filter.js'
import { plannedStates } from '../../store/judge-item.js'
import type { Connection } from './connection.js'
import { asBytes, text } from './event-row.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { searchSql } from './sqlite-search.js'

const insertPlan = `
  INSERT INTO webhook_inbox_plans (id, endpoint, action, conditions, count, is_capped, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

const insertItems = (search: string) => `
  INSERT INTO webhook_inbox_plan_items (plan, place, key, generation)
  SELECT ?, ? + row_number() OVER (ORDER BY found.received_at, found.seq) AS place, e.key, e.generation
  FROM (${search}) AS found CROSS JOIN webhook_inbox_events AS e ON e.seq = found.seq
  ORDER BY place`

const dropLast = 'DELETE FROM webhook_inbox_plan_items WHERE plan = ? AND place > ?'

const find = `
  SELECT action, count, is_capped, created_at, ${['endpoint', 'conditions'].map(asBytes).join(', ')}
  FROM webhook_inbox_plans WHERE id = ?`

interface Row {
  readonly endpoint: Uint8Array | null
  readonly conditions: Uint8Array
  readonly action: Plan['action']
  readonly count: number
  readonly is_capped: number
  readonly created_at: number
}

export function sqlitePlans<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'makePlan' | 'readPlan'> {
  function read(id: string): Plan | undefined {
    const [row] = connection.all<Row>(find, id)
    return (
      row && {
        id,
        ...(row.endpoint && { endpoint: text(row.endpoint) }),
        action: row.action,
        where: conditionsFrom(text(row.conditions)),
        count: Number(row.count),
        isCapped: Boolean(row.is_capped),
        createdAt: new Date(Number(row.created_at)).toISOString(),
      }
    )
  }

  return {
    // One transaction, so the events are those of one moment.
    makePlan: ({ id, endpoint, action, where }) =>
      connection.write(
        'make a plan',
        () => {
          let count = 0
          for (const state of plannedStates(action, where.state)) {
            const scope = endpoint === undefined ? { allEndpoints: true as const } : { endpoint }
            const search = searchSql({ ...where, ...scope, state, limit: mostPlanned + 1 })
            if (search) {
              count += connection.run(insertItems(search.text), id, count, ...search.values)
            }
          }
          if (count > mostPlanned) {
            connection.run(dropLast, id, mostPlanned)
          }
          const [most, isCapped] = [Math.min(count, mostPlanned), count > mostPlanned ? 1 : 0]
          const about = [id, endpoint ?? null, action, JSON.stringify(where)] as const
          connection.run(insertPlan, ...about, most, isCapped, Date.now())
          return read(id) as Plan
        },
        { hasSeveralSteps: true },
      ),

    readPlan: (id) => connection.read('read a plan', () => read(id)),
  }
}

/** Times are kept as text. */
export function conditionsFrom(json: string): EventFilter {
  const { since, until, ...rest } = JSON.parse(json)
  return {
    ...rest,
    ...(since && { since: new Date(since) }),
    ...(until && { until: new Date(until) }),
  }
}
