import { firstLane, joined, type Lane, mostLanes, mostOldest, type Turns } from '../../store/due-bounds.js'
import type { DueFilter } from '../../store/inbox.js'
import type { Connection } from './connection.js'
import { type EventRow, eventColumns, text } from './event-row.js'
import { isInTurn } from './resource-order.js'
import type { SqliteDatabase } from './sqlite-database.js'

const open = "state IN ('accepted', 'failed')"

// A lease that ends later than its span allows was taken before the clock was set back. The next claim cuts it.
const isFree = '(lease_until <= ? OR lease_until > ? + lease_span)'

const ofEndpoint = (endpoint: string | undefined, column = 'endpoint') =>
  endpoint === undefined ? '' : `AND ${column} = ?`

const isHeld = (endpoint: string | undefined) => `
  SELECT 1 WHERE EXISTS (SELECT 1 FROM webhook_inbox_pauses WHERE true ${ofEndpoint(endpoint)})
    OR EXISTS (SELECT 1 FROM webhook_inbox_circuits WHERE retry_at IS NOT NULL ${ofEndpoint(endpoint)})`

/** `?` endpoint, `?` type. */
const nextLane = `
  SELECT endpoint, type FROM webhook_inbox_events WHERE ${open} AND (endpoint, type) > (?, ?)
  ORDER BY endpoint, type LIMIT 1`

/** `?` endpoint, `?` type. */
const nextLaneOfEndpoint = `
  SELECT endpoint, type FROM webhook_inbox_events WHERE ${open} AND endpoint = ? AND type > ?
  ORDER BY type LIMIT 1`

/** `seq` is the order of acceptance within one millisecond. */
interface DueRow extends EventRow {
  readonly seq: number
}

/** `?` endpoint, `?` type, twice, then twice the time. */
const isLaneHeld = `
  SELECT 1 FROM webhook_inbox_pauses
  WHERE endpoint = ? AND (kind = 'endpoint' OR (kind = 'type' AND name = ?))
  UNION ALL
  SELECT 1 FROM webhook_inbox_circuits
  WHERE endpoint = ? AND type = ? AND retry_at IS NOT NULL AND (retry_at > ? OR trial_until > ?)`

const isResourceFree = `
  (e.resource IS NULL OR (e.resource NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
    SELECT 1 FROM webhook_inbox_pauses AS p
    WHERE p.endpoint = e.endpoint AND p.kind = 'resource' AND p.name = e.resource)))`

/** The same for the event `e`. Twice the time. */
const isHeldOf = `
  SELECT 1 FROM webhook_inbox_pauses AS p
  WHERE p.endpoint = e.endpoint AND (p.kind = 'endpoint' OR (p.kind = 'type' AND p.name = e.type))
  UNION ALL
  SELECT 1 FROM webhook_inbox_circuits AS c
  WHERE c.endpoint = e.endpoint AND c.type = e.type AND c.retry_at IS NOT NULL AND (c.retry_at > ? OR c.trial_until > ?)`

/** `?` time, `?` endpoint if there is one, `?` how many. */
const oldest = (endpoint: string | undefined) => `
  SELECT seq AS place FROM webhook_inbox_events WHERE ${open} AND waits = 0 AND due_at <= ? ${ofEndpoint(endpoint)}
  ORDER BY due_at, seq LIMIT ?`

/**
 * The events that can run now, oldest first. If nothing is held back, one index gives them in order. Otherwise it searches
 * each type separately, so it never reads events of a type that is held back.
 */
export function findDue<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  limit: number,
  endpoint: string | undefined,
  filter: DueFilter,
  turns: Turns,
): EventRow[] {
  const now = Date.now()
  const of = endpoint === undefined ? [] : [endpoint]
  const { onlyTypes, exceptTypes = [], exceptResources = [] } = filter

  /** In two statements, so that each reads an index in its order. */
  function search(conditions: string, values: readonly string[], most: number): DueRow[] {
    const find = (when: string, times: number[], left: number) =>
      connection.all<DueRow>(
        `SELECT seq, ${eventColumns} FROM webhook_inbox_events AS e
        WHERE ${open} AND waits = 0 AND ${when} AND ${isFree} ${conditions} AND ${isInTurn}
        ORDER BY due_at, seq LIMIT ?`,
        ...[...times, now, now, ...values, left],
      )
    const due = find('due_at <= ?', [now], most)
    return [...due, ...find('scheduled_at > ? AND due_at > ?', [now, now], most - due.length)]
  }

  /** The first types after a place. */
  function lanes(after: Lane): Lane[] {
    const found: Lane[] = []
    let last = endpoint === undefined || after.endpoint !== '' ? after : { endpoint, type: '' }
    const next = endpoint === undefined ? nextLane : nextLaneOfEndpoint
    while (found.length < mostLanes) {
      const [lane] = connection.all<Lane>(next, last.endpoint, last.type)
      if (!lane) {
        break
      }
      found.push(lane)
      last = lane
    }
    return found
  }

  const resources = JSON.stringify(exceptResources)

  const ofLanes = (lanes: readonly Lane[]) =>
    lanes
      .filter(({ type }) => (onlyTypes?.includes(type) ?? true) && !exceptTypes.includes(type))
      .filter(({ endpoint: of, type }) => !connection.all(isLaneHeld, of, type, of, type, now, now).length)
      .flatMap((lane) =>
        search(
          `AND endpoint = ? AND type = ? AND ${isResourceFree}`,
          [lane.endpoint, lane.type, resources],
          limit,
        ),
      )
      .sort((a, b) => Number(a.due_at) - Number(b.due_at) || Number(a.seq) - Number(b.seq))
      .slice(0, limit)

  /** Reads the oldest events of every type. The order of the join is fixed. Otherwise SQLite may read all events. */
  function amongOldest(): { readonly rows: EventRow[]; readonly isMore: boolean } {
    const read = [now, ...of, limit + mostOldest]
    const [all] = connection.all<{ n: number }>(`SELECT count(*) AS n FROM (${oldest(endpoint)})`, ...read)
    const types = onlyTypes === undefined ? null : JSON.stringify(onlyTypes)
    const rows = connection.all<EventRow>(
      `SELECT ${eventColumns} FROM (${oldest(endpoint)}) AS o CROSS JOIN webhook_inbox_events AS e ON e.seq = o.place
      WHERE ${isFree} AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
        AND type NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (${isHeldOf}) AND ${isResourceFree} AND ${isInTurn}
      ORDER BY e.due_at, e.seq LIMIT ?`,
      ...[...read, now, now, types, types, JSON.stringify(exceptTypes), now, now, resources, limit],
    )
    return { rows, isMore: Number(all?.n) >= limit + mostOldest }
  }

  const isNarrowed = onlyTypes !== undefined || exceptTypes.length > 0 || exceptResources.length > 0
  if (!isNarrowed && connection.all(isHeld(endpoint), ...of, ...of).length === 0) {
    return search(ofEndpoint(endpoint), of, limit)
  }
  if (onlyTypes !== undefined && endpoint !== undefined) {
    return ofLanes(onlyTypes.map((type) => ({ endpoint, type })))
  }
  const first = lanes(firstLane)
  if (first.length < mostLanes) {
    return ofLanes(first)
  }
  const { rows, isMore } = amongOldest()
  if (!isMore || rows.length >= limit) {
    return rows
  }
  const others = lanes(turns.of(endpoint))
  turns.continueAfter(endpoint, others.length < mostLanes ? undefined : others.at(-1))
  return joined(rows, ofLanes(others), ({ key }) => text(key), limit)
}
