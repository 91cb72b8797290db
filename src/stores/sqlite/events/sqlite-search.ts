import type { PlannedFilter } from '../../../store/bulk-plan.js'
import { type EventFilter, mostSearched, statesOf, typePrefix } from '../../../store/event-filter.js'
import type { InboxQuery, InboxState } from '../../../store/inbox.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { asBytes, text } from './event-row.js'

/** A statement and its values, or a part of one. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqliteValue[]
}

type Conditions = EventFilter & Pick<InboxQuery, 'endpoint'>

/** The conditions of a filter on a row of the events, without its state. */
function conditionsOf({ endpoint, type, group, resource, root, since, until, key }: Conditions): Sql[] {
  const given: Sql[] = []
  const add = (text: string, ...values: SqliteValue[]) => given.push({ text, values })
  if (endpoint !== undefined) {
    // The plus keeps SQLite from the index of dead events, which would read those of all resources.
    add(resource === undefined ? 'endpoint = ?' : '+endpoint = ?', endpoint)
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
  if (root !== undefined) {
    add('root = ?', root)
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

/** How many types with one prefix a search reads separately. Each costs an index scan for each state. */
const mostTypes = 20

/**
 * The types of done and dead events that a filter with a prefix can find. The query jumps from type to type in an index.
 * `undefined` if the filter has no prefix, if another index is better, or if there are too many types. Only within `read`.
 */
export function typesUnder<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  { endpoint, type, group, resource, root, key, text: part }: InboxQuery,
): string[] | undefined {
  const prefix = type === undefined ? undefined : typePrefix(type)
  const hasBetterIndex = [group, resource, root, key, part].some((each) => each !== undefined)
  if (endpoint === undefined || prefix === undefined || hasBetterIndex) {
    return undefined
  }
  const next = (than: string) => `SELECT min(type) FROM webhook_inbox_events
    WHERE (state = 'done' OR state = 'dead') AND endpoint = ? AND type ${than} AND type < ?`
  const sql = `
    WITH RECURSIVE found (type) AS (
      SELECT (${next('>= ?')})
      UNION ALL SELECT (${next('> found.type')}) FROM found WHERE found.type IS NOT NULL LIMIT ?)
    SELECT ${asBytes('type')} FROM found WHERE type IS NOT NULL`
  // `/` is the character after the dot that a prefix ends with.
  const end = `${prefix.slice(0, -1)}/`
  const found = connection.all<{ type: Uint8Array }>(sql, endpoint, prefix, end, endpoint, end, mostTypes + 1)
  return found.length > mostTypes ? undefined : found.map((row) => text(row.type))
}

/**
 * Selects `seq` and `received_at` of the events that meet a filter, in order. One index scan for each state. The state is part
 * of the SQL text, so that partial indexes can be used. `undefined` if no event can meet the filter.
 *
 * With `types`, the result of {@link typesUnder}, it scans each type by itself. A scan for a prefix would read every
 * event until the page is full.
 */
export function searchSql(query: InboxQuery, types?: readonly string[]): Sql | undefined {
  const { order, limit = 100, after, text: part } = query
  const [than, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  const place: Sql[] = []
  if (after !== undefined) {
    place.push({
      text: `(received_at, seq) ${than} (SELECT received_at, seq FROM webhook_inbox_events WHERE key = ?)`,
      values: [after],
    })
  }
  const inOrder = `ORDER BY received_at ${direction}, seq ${direction} LIMIT ?`

  function ofState(state: string, given: readonly Sql[]): Sql {
    const conditions = [...given, ...place]
    const where = conditions.map((each) => ` AND ${each.text}`).join('')
    const values = conditions.flatMap((each) => each.values)
    const from = `FROM webhook_inbox_events WHERE state = '${state}'${where} ${inOrder}`
    if (part === undefined) {
      return { text: `SELECT seq, received_at ${from}`, values: [...values, limit] }
    }
    return {
      text: `SELECT seq, received_at FROM (SELECT seq, received_at, last_error ${from})
        WHERE instr(lower(last_error), lower(?)) > 0 ${inOrder}`,
      values: [...values, mostSearched, part, limit],
    }
  }

  const all = conditionsOf(query)
  const others = conditionsOf({ ...query, type: undefined })
  const scans = statesOf(query).flatMap((state) =>
    types && (state === 'done' || state === 'dead')
      ? types.map((type) => ofState(state, [...others, { text: 'type = ?', values: [type] }]))
      : [ofState(state, all)],
  )
  if (scans.length === 0) {
    return undefined
  }
  return {
    text: `SELECT seq, received_at FROM (
      ${scans.map((scan) => `SELECT * FROM (${scan.text})`).join(' UNION ALL ')}) ${inOrder}`,
    values: [...scans.flatMap((scan) => scan.values), limit],
  }
}

/** A position in the order of arrival. */
export interface Place {
  /** Milliseconds. */
  readonly receivedAt: number
  readonly seq: number
}

/**
 * Selects the next events of a plan, in the order of arrival: after one place, up to the row `newest`. One index scan for each
 * state. The index of dead events holds all of these columns, and so does that of a group.
 */
export function selectionSql(
  states: readonly InboxState[],
  filter: PlannedFilter & Pick<InboxQuery, 'endpoint'>,
  { after, newest, limit }: { readonly after: Place; readonly newest: number; readonly limit: number },
): Sql {
  const conditions = [
    ...conditionsOf(filter),
    { text: '(received_at, seq) > (?, ?)', values: [after.receivedAt, after.seq] },
    { text: 'seq <= ?', values: [newest] },
  ]
  const where = conditions.map((each) => ` AND ${each.text}`).join('')
  const values = [...conditions.flatMap((each) => each.values), limit]
  const inOrder = 'ORDER BY received_at, seq LIMIT ?'
  const scans = states.map(
    (state) => `SELECT * FROM (SELECT received_at, seq, key, generation FROM webhook_inbox_events
      WHERE state = '${state}'${where} ${inOrder})`,
  )
  return {
    text: `SELECT * FROM (${scans.join(' UNION ALL ')}) ${inOrder}`,
    values: [...states.flatMap(() => values), limit],
  }
}
