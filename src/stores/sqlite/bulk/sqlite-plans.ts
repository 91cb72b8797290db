import { selectedStates } from '../../../store/action-states.js'
import { conditionsFrom, mostPlanned, type NewPlan, type Plan } from '../../../store/bulk-plan.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'
import { type Place, selectionSql } from '../events/sqlite-search.js'

const insertPlan = `
  INSERT INTO webhook_inbox_plans (id, endpoint, action, conditions, count, is_capped, created_at, is_ready)
  VALUES (?, ?, ?, ?, 0, 0, ?, 0)`

const finishPlan = 'UPDATE webhook_inbox_plans SET count = ?, is_capped = ?, is_ready = 1 WHERE id = ?'

const newestEvent = 'SELECT coalesce(max(seq), 0) AS seq FROM webhook_inbox_events'

const insertItems = (selection: string) => `
  INSERT INTO webhook_inbox_plan_items (plan, place, key, generation)
  SELECT ?, ? + row_number() OVER (ORDER BY received_at, seq), key, generation FROM (${selection})`

const placeOf = `
  SELECT received_at, seq FROM webhook_inbox_events
  WHERE key = (SELECT key FROM webhook_inbox_plan_items WHERE plan = ? AND place = ?)`

const dropLast = 'DELETE FROM webhook_inbox_plan_items WHERE plan = ? AND place > ?'

/** How many events one transaction adds. Deliveries wait for it, for less than a millisecond. */
const largestPart = 100

const select = `
  SELECT id, action, count, is_capped, created_at, ${['endpoint', 'conditions'].map(asBytes).join(', ')}
  FROM webhook_inbox_plans WHERE is_ready = 1`

interface Progress {
  readonly count: number
  readonly isComplete: boolean
  readonly after: Place
  /** The row of the newest event that may join. */
  readonly newest: number
}

interface Row {
  readonly id: string
  readonly endpoint: Uint8Array
  readonly conditions: Uint8Array
  readonly action: Plan['action']
  readonly count: number
  readonly is_capped: number
  readonly created_at: number
}

export function sqlitePlans<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'makePlan' | 'readPlan' | 'plans'> {
  const read = (id: string): Promise<Plan | undefined> =>
    connection.read('read a plan', () => connection.all<Row>(`${select} AND id = ?`, id).map(toPlan)[0])

  function begin({ id, endpoint, action, where }: NewPlan): Progress {
    connection.run(insertPlan, id, endpoint, action, JSON.stringify(where), Date.now())
    const [newest] = connection.all<{ seq: number }>(newestEvent)
    const after = { receivedAt: Number.MIN_SAFE_INTEGER, seq: 0 }
    return { count: 0, isComplete: false, after, newest: Number(newest?.seq) }
  }

  /** Adds the next events. */
  function addItems(plan: NewPlan, { count: before, after, newest }: Progress): Progress {
    const { id, endpoint, action, where } = plan
    const limit = Math.min(largestPart, mostPlanned + 1 - before)
    const range = { after, newest, limit }
    const selection = selectionSql(selectedStates(action, where), { ...where, endpoint }, range)
    const count = before + connection.run(insertItems(selection.text), id, before, ...selection.values)
    if (count < before + largestPart) {
      return { count, isComplete: true, after, newest }
    }
    const [last] = connection.all<{ received_at: number; seq: number }>(placeOf, id, count)
    const reached = { receivedAt: Number(last?.received_at), seq: Number(last?.seq) }
    return { count, isComplete: false, after: reached, newest }
  }

  function finish({ id }: NewPlan, { count }: Progress): void {
    connection.run(dropLast, id, mostPlanned)
    connection.run(finishPlan, Math.min(count, mostPlanned), count > mostPlanned ? 1 : 0, id)
  }

  return {
    // In parts, because deliveries wait for each transaction, and a plan of 100,000 events takes a third of a second. An event
    // that changes between two parts keeps its place in the order of arrival, so it joins at most once.
    async makePlan(plan) {
      let progress = await connection.writeSteps('make a plan', () => begin(plan))
      while (!progress.isComplete) {
        const last = progress
        progress = await connection.writePart('make a plan', () => addItems(plan, last))
      }
      await connection.writeSteps('make a plan', () => finish(plan, progress))
      return (await read(plan.id)) as Plan
    },

    async plans({ endpoint, limit, startsWith = '' }) {
      const where = ['substr(id, 1, length(?)) = ?', ...(endpoint === undefined ? [] : ['endpoint = ?'])]
      const values = [startsWith, startsWith, ...(endpoint === undefined ? [] : [endpoint]), limit]
      const sql = `${select} AND ${where.join(' AND ')} ORDER BY created_at DESC, id LIMIT ?`
      const found = await connection.read('list the plans', () => connection.all<Row>(sql, ...values))
      return found.map(toPlan)
    },

    readPlan: read,
  }
}

const toPlan = (row: Row): Plan => ({
  id: row.id,
  endpoint: text(row.endpoint),
  action: row.action,
  where: conditionsFrom(text(row.conditions)),
  count: Number(row.count),
  isCapped: Boolean(row.is_capped),
  createdAt: time(row.created_at),
})
