import type { PlannedFilter } from '../../../store/bulk-plan.js'
import { type EventFilter, mostSearched, statesOf, typePrefix } from '../../../store/event-filter.js'
import type { InboxQuery, InboxState } from '../../../store/inbox.js'
import { toText } from '../connection/text.js'
import { eventColumns, headColumns } from './event-columns.js'

/** A statement and its values, or a part of one. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The place where a page continues. The time is text, because drivers can lose microseconds. */
export interface Place {
  readonly received_at: string
  readonly seq: string
}

type Conditions = EventFilter & Pick<InboxQuery, 'endpoint'>

/**
 * The conditions of a filter on a row of the events, without its state. `value` adds a value and returns its placeholder.
 * The collation is that of the index.
 */
function conditionsOf(
  { endpoint, type, group, resource, root, since, until, key }: Conditions,
  value: (value: unknown, type: string) => string,
): string[] {
  const given: string[] = []
  if (endpoint !== undefined) {
    given.push(`endpoint COLLATE "C" = ${value(endpoint, 'text')}`)
  }
  if (type !== undefined) {
    const prefix = typePrefix(type)
    // `/` is the character after the dot that a prefix ends with.
    given.push(
      ...(prefix === undefined
        ? [`type COLLATE "C" = ${value(type, 'text')}`]
        : [
            `type COLLATE "C" >= ${value(prefix, 'text')}`,
            `type COLLATE "C" < ${value(`${prefix.slice(0, -1)}/`, 'text')}`,
          ]),
    )
  }
  if (group !== undefined) {
    given.push(`failure_group = ${value(group, 'text')}`)
  }
  if (resource !== undefined) {
    const text = value(toText(resource), 'text')
    given.push(`hashtextextended(resource, 0) = hashtextextended(${text}, 0)`, `resource = ${text}`)
  }
  if (root !== undefined) {
    given.push(`root COLLATE "C" = ${value(root, 'text')}`)
  }
  if (since !== undefined) {
    given.push(`received_at >= ${value(since.toISOString(), 'text')}::timestamptz`)
  }
  if (until !== undefined) {
    given.push(`received_at < ${value(until.toISOString(), 'text')}::timestamptz`)
  }
  if (key !== undefined) {
    given.push(`key = ${value(toText(key), 'text')}`)
  }
  return given
}

/**
 * The state in a condition. As a part of the SQL text it lets the planner use the indexes of one state. But a filter that has an
 * index of its own must not use those. If the statistics know of no event in the state, they look as short, and may hold a
 * million events. With a subquery the planner does not know the state, and expects an average one.
 */
const stateOf = ({ key, root, resource, group }: EventFilter, state: InboxState): string =>
  [key, root, resource, group].every((each) => each === undefined) ? `'${state}'` : `(SELECT '${state}')`

/**
 * Selects the events that meet a filter, in order, from a place on. One index scan for each state. `undefined` if no event can meet
 * the filter.
 */
export function searchSql(schema: string, query: InboxQuery, place: Place | undefined): Sql | undefined {
  const values: unknown[] = []
  const value = (value: unknown, type: string) => `$${values.push(value)}::${type}`
  const conditions = conditionsOf(query, value)
  const [than, direction] = query.order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  if (place) {
    const from = `(${value(place.received_at, 'text')}::timestamptz, ${value(place.seq, 'bigint')})`
    conditions.push(`(received_at, seq) ${than} ${from}`)
  }
  const limit = value(query.limit ?? 100, 'int')
  const orderOf = (table: string) => `ORDER BY ${table}.received_at ${direction}, ${table}.seq ${direction}`
  const text = query.text === undefined ? undefined : value(query.text, 'text')
  const where = conditions.map((each) => ` AND ${each}`).join('')
  function ofState(state: InboxState): string {
    const rows = `SELECT * FROM ${schema}.events AS e WHERE state = ${stateOf(query, state)}${where} ${orderOf('e')}`
    return text === undefined
      ? `${rows} LIMIT ${limit}`
      : `SELECT * FROM (${rows} LIMIT ${mostSearched}) AS e
      WHERE strpos(lower(last_error), lower(${text})) > 0 ${orderOf('e')} LIMIT ${limit}`
  }
  const scans = statesOf(query).map((state) => `(${ofState(state)})`)
  if (scans.length === 0) {
    return undefined
  }
  return {
    text: `
SELECT ${query.bodies === false ? headColumns : eventColumns} FROM (
  ${scans.join(' UNION ALL ')}
) AS page ${orderOf('page')} LIMIT ${limit}`,
    values,
  }
}

/** Selects `key` and `generation` of the events of one state for a plan, in order. The index of that state holds both. */
export function selectionSql(
  schema: string,
  state: InboxState,
  filter: PlannedFilter & Pick<InboxQuery, 'endpoint'>,
  limit: number,
): Sql {
  const values: unknown[] = []
  const conditions = conditionsOf(filter, (value, type) => `$${values.push(value)}::${type}`)
  const where = [`state = ${stateOf(filter, state)}`, ...conditions].join(' AND ')
  return {
    text: `SELECT key, generation FROM ${schema}.events WHERE ${where} ORDER BY received_at, seq LIMIT ${limit}`,
    values,
  }
}
