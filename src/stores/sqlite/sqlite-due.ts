import type { DueFilter } from '../../store/inbox.js'
import type { Connection } from './connection.js'
import { type EventRow, eventColumns } from './event-row.js'
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

interface Lane {
  readonly endpoint: string
  readonly type: string
}

/**
 * The events that can run now, oldest first. Where nothing is held back, one index gives them in order. Otherwise each
 * type is searched on its own, so that the events of a held type are never read.
 */
export function findDue<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  limit: number,
  endpoint: string | undefined,
  filter: DueFilter,
): EventRow[] {
  const now = Date.now()
  const of = endpoint === undefined ? [] : [endpoint]
  const { onlyTypes, exceptTypes = [], exceptResources = [] } = filter

  /** In two statements, so that each reads an index in its order. */
  function search(conditions: string, values: readonly string[], most: number): EventRow[] {
    const find = (when: string, times: number[], left: number) =>
      connection.all<EventRow>(
        `SELECT ${eventColumns} FROM webhook_inbox_events AS e
        WHERE ${open} AND waits = 0 AND ${when} AND ${isFree} ${conditions} AND ${isInTurn}
        ORDER BY due_at, seq LIMIT ?`,
        ...[...times, now, now, ...values, left],
      )
    const due = find('due_at <= ?', [now], most)
    return [...due, ...find('scheduled_at > ? AND due_at > ?', [now, now], most - due.length)]
  }

  function lanes(): Lane[] {
    const found: Lane[] = []
    let last: Lane = { endpoint: endpoint ?? '', type: '' }
    const next = endpoint === undefined ? nextLane : nextLaneOfEndpoint
    for (;;) {
      const [lane] = connection.all<Lane>(next, last.endpoint, last.type)
      if (!lane) {
        return found
      }
      found.push(lane)
      last = lane
    }
  }

  const isNarrowed = onlyTypes !== undefined || exceptTypes.length > 0 || exceptResources.length > 0
  if (!isNarrowed && connection.all(isHeld(endpoint), ...of, ...of).length === 0) {
    return search(ofEndpoint(endpoint), of, limit)
  }
  return lanes()
    .filter(({ type }) => (onlyTypes?.includes(type) ?? true) && !exceptTypes.includes(type))
    .filter(({ endpoint: of, type }) => !connection.all(isLaneHeld, of, type, of, type, now, now).length)
    .flatMap((lane) =>
      search(
        `AND endpoint = ? AND type = ? AND ${isResourceFree}`,
        [lane.endpoint, lane.type, JSON.stringify(exceptResources)],
        limit,
      ),
    )
    .sort((a, b) => Number(a.due_at) - Number(b.due_at))
    .slice(0, limit)
}
