import { conditionsFrom, mostPlanned, type Plan } from '../../store/bulk-records.js'
import type { BulkStore } from '../../store/bulk-store.js'
import { selectedStates } from '../../store/judge-item.js'
import type { Connection } from './connection.js'
import { asBytes, text, time } from './event-row.js'
import type { SqliteDatabase } from './sqlite-database.js'
import { selectionSql } from './sqlite-search.js'

const insertPlan = `
  INSERT INTO webhook_inbox_plans (id, endpoint, action, conditions, count, is_capped, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

const insertItems = (selection: string) => `
  INSERT INTO webhook_inbox_plan_items (plan, place, key, generation)
  SELECT ?, ? + row_number() OVER (), key, generation FROM (${selection})`

const dropLast = 'DELETE FROM webhook_inbox_plan_items WHERE plan = ? AND place > ?'

const select = `
  SELECT id, action, count, is_capped, created_at, ${['endpoint', 'conditions'].map(asBytes).join(', ')}
  FROM webhook_inbox_plans`

interface Row {
  readonly id: string
  readonly endpoint: Uint8Array | null
  readonly conditions: Uint8Array
  readonly action: Plan['action']
  readonly count: number
  readonly is_capped: number
  readonly created_at: number
}

export function sqlitePlans<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'makePlan' | 'readPlan' | 'plans'> {
  function read(id: string): Plan | undefined {
    const [row] = connection.all<Row>(`${select} WHERE id = ?`, id)
    return row && toPlan(row)
  }

  return {
    // One transaction, so the events are those of one moment.
    makePlan: ({ id, endpoint, action, where }) =>
      connection.writeSteps('make a plan', () => {
        let count = 0
        for (const state of selectedStates(action, where)) {
          const selection = selectionSql(state, { ...where, endpoint }, mostPlanned + 1 - count)
          count += connection.run(insertItems(selection.text), id, count, ...selection.values)
        }
        if (count > mostPlanned) {
          connection.run(dropLast, id, mostPlanned)
        }
        const [most, isCapped] = [Math.min(count, mostPlanned), count > mostPlanned ? 1 : 0]
        const about = [id, endpoint ?? null, action, JSON.stringify(where)] as const
        connection.run(insertPlan, ...about, most, isCapped, Date.now())
        return read(id) as Plan
      }),

    async plans({ endpoint, limit, startsWith = '' }) {
      const where = ['substr(id, 1, length(?)) = ?', ...(endpoint === undefined ? [] : ['endpoint = ?'])]
      const values = [startsWith, startsWith, ...(endpoint === undefined ? [] : [endpoint]), limit]
      const sql = `${select} WHERE ${where.join(' AND ')} ORDER BY created_at DESC, id LIMIT ?`
      const found = await connection.read('list the plans', () => connection.all<Row>(sql, ...values))
      return found.map(toPlan)
    },

    readPlan: (id) => connection.read('read a plan', () => read(id)),
  }
}

const toPlan = (row: Row): Plan => ({
  id: row.id,
  ...(row.endpoint && { endpoint: text(row.endpoint) }),
  action: row.action,
  where: conditionsFrom(text(row.conditions)),
  count: Number(row.count),
  isCapped: Boolean(row.is_capped),
  createdAt: time(row.created_at),
})
