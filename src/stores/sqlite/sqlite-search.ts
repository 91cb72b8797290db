import type { PlannedFilter } from '../../store/bulk-records.js'
import { type EventFilter, mostSearched, statesOf, typePrefix } from '../../store/event-filter.js'
import type { InboxQuery, InboxState } from '../../store/inbox.js'
import type { SqliteValue } from './sqlite-database.js'

/** A statement and its values, or a part of one. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqliteValue[]
}

type Conditions = EventFilter & Pick<InboxQuery, 'endpoint'>

/** The conditions of a filter on a row of the events, without its state. */
function conditionsOf({ endpoint, type, group, resource, since, until, key }: Conditions): Sql[] {
  const given: Sql[] = []
  const add = (text: string, ...values: SqliteValue[]) => given.push({ text, values })
  if (endpoint !== undefined) {
    add('endpoint = ?', endpoint)
  }
  if (type !== undefined) {
    const prefix = typePrefix(type)
    // A character has one length in SQLite and another in JavaScript, so SQLite counts.
    prefix === undefined ? add('type = ?', type) : add('substr(type, 1, length(?)) = ?', prefix, prefix)
  }
  if (group !== undefined) {
    add('failure_group = ?', group)
  }
  if (resource !== undefined) {
    add('resource = ?', resource)
  }
  if (since !== undefined) {
    add('received_at >= ?', since.getTime())
  }
  if (until !== undefined) {
    add('received_at < ?', until.getTime())
  }
  if (key !== undefined) {
    add('key = ?', key)
  }
  return given
}

/**
 * Selects `seq` and `received_at` of the events that meet a filter, in order. One index scan for each state. The state is part
 * of the SQL text, so that partial indexes can be used. `undefined` if no event can meet the filter.
 */
export function searchSql(query: InboxQuery): Sql | undefined {
  const { order, limit = 100, after, text } = query
  const [than, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  const conditions = conditionsOf(query)
  if (after !== undefined) {
    conditions.push({
      text: `(received_at, seq) ${than} (SELECT received_at, seq FROM webhook_inbox_events WHERE key = ?)`,
      values: [after],
    })
  }
  const inOrder = `ORDER BY received_at ${direction}, seq ${direction} LIMIT ?`
  const where = conditions.map((each) => ` AND ${each.text}`).join('')
  const values = conditions.flatMap((each) => each.values)

  function ofState(state: string): Sql {
    const from = `FROM webhook_inbox_events WHERE state = '${state}'${where} ${inOrder}`
    if (text === undefined) {
      return { text: `SELECT seq, received_at ${from}`, values: [...values, limit] }
    }
    return {
      text: `SELECT seq, received_at FROM (SELECT seq, received_at, last_error ${from})
        WHERE instr(lower(last_error), lower(?)) > 0 ${inOrder}`,
      values: [...values, mostSearched, text, limit],
    }
  }

  const scans = statesOf(query).map(ofState)
  if (scans.length === 0) {
    return undefined
  }
  return {
    text: `SELECT seq, received_at FROM (
      ${scans.map((scan) => `SELECT * FROM (${scan.text})`).join(' UNION ALL ')}) ${inOrder}`,
    values: [...scans.flatMap((scan) => scan.values), limit],
  }
}

/** Selects `key` and `generation` of the events of one state for a plan, in order. The index of that state holds both. */
export function selectionSql(
  state: InboxState,
  filter: PlannedFilter & Pick<InboxQuery, 'endpoint'>,
  limit: number,
): Sql {
  const conditions = conditionsOf(filter)
  const where = conditions.map((each) => ` AND ${each.text}`).join('')
  return {
    text: `SELECT key, generation FROM webhook_inbox_events WHERE state = '${state}'${where}
      ORDER BY received_at, seq LIMIT ?`,
    values: [...conditions.flatMap((each) => each.values), limit],
  }
}
