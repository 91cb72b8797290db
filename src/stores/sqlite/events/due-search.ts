import { clockMarginSeconds, type Lane, mostLanes, mostOldest } from '../../../store/due-bounds.js'
import type { DueFilter } from '../../../store/inbox.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type EventRow, eventColumns, headColumns } from './event-row.js'
import { isInTurn } from './resource-order.js'

const open = "state IN ('accepted', 'failed')"

// A lease that ends later than its span allows was taken before the clock was set back. The next claim cuts it. Within the margin,
// another process may have taken it since the search read the clock.
const isFree = `(lease_until <= ? OR lease_until > ? + lease_span + ${clockMarginSeconds * 1000})`

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

/** The order of a search. `seq` is the order of acceptance within one millisecond. */
interface Place {
  readonly due_at: number
  readonly seq: number
}

/** Whether a circuit holds. A count from the future means that the clock was ahead then. Three times the time. */
const isCircuitHeld = (c: string) =>
  `${c}.retry_at IS NOT NULL AND ${c}.counted_at <= ? + ${clockMarginSeconds * 1000} AND (${c}.retry_at > ? OR ${c}.trial_until > ?)`

/** `?` endpoint, `?` type, twice, then three times the time. */
const isLaneHeld = `
  SELECT 1 FROM webhook_inbox_pauses
  WHERE endpoint = ? AND (kind = 'endpoint' OR (kind = 'type' AND name = ?))
  UNION ALL
  SELECT 1 FROM webhook_inbox_circuits AS c
  WHERE endpoint = ? AND type = ? AND ${isCircuitHeld('c')}`

const isResourceFree = `
  (e.resource IS NULL OR (e.resource NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
    SELECT 1 FROM webhook_inbox_pauses AS p
    WHERE p.endpoint = e.endpoint AND p.kind = 'resource' AND p.name = e.resource)))`

/** The same for the event `e`. Three times the time. */
const isHeldOf = `
  SELECT 1 FROM webhook_inbox_pauses AS p
  WHERE p.endpoint = e.endpoint AND (p.kind = 'endpoint' OR (p.kind = 'type' AND p.name = e.type))
  UNION ALL
  SELECT 1 FROM webhook_inbox_circuits AS c
  WHERE c.endpoint = e.endpoint AND c.type = e.type AND ${isCircuitHeld('c')}`

/** `?` time, `?` endpoint if there is one, `?` how many. */
const oldest = (endpoint: string | undefined) => `
  SELECT seq AS place FROM webhook_inbox_events WHERE ${open} AND waits = 0 AND due_at <= ? ${ofEndpoint(endpoint)}
  ORDER BY due_at, seq LIMIT ?`

/** The statements of one search for events that can run. All of them use the same time. */
export class DueSearch<Database extends SqliteDatabase> {
  /** Whether the caller wants only some of the events. */
  readonly isNarrowed: boolean
  readonly #connection: Connection<Database>
  readonly #limit: number
  readonly #endpoint: string | undefined
  readonly #onlyTypes: readonly string[] | undefined
  readonly #exceptTypes: readonly string[]
  /** As JSON. */
  readonly #exceptResources: string
  readonly #columns: string
  readonly #now = Date.now()

  constructor(
    connection: Connection<Database>,
    limit: number,
    endpoint: string | undefined,
    { onlyTypes, exceptTypes = [], exceptResources = [], bodies = true }: DueFilter,
  ) {
    this.#connection = connection
    this.#limit = limit
    this.#endpoint = endpoint
    this.#onlyTypes = onlyTypes
    this.#exceptTypes = exceptTypes
    this.#columns = bodies ? eventColumns : headColumns
    this.#exceptResources = JSON.stringify(exceptResources)
    this.isNarrowed = onlyTypes !== undefined || exceptTypes.length > 0 || exceptResources.length > 0
  }

  isAnythingHeld(): boolean {
    const of = this.#endpointValues
    return this.#connection.all(isHeld(this.#endpoint), ...of, ...of).length > 0
  }

  all(): EventRow[] {
    return this.#search<EventRow>(this.#columns, ofEndpoint(this.#endpoint), this.#endpointValues)
  }

  /** The events of these types that are not held back. It reads the columns only of those that it returns. */
  ofLanes(lanes: readonly Lane[]): EventRow[] {
    const places = lanes
      .filter(({ type }) => (this.#onlyTypes?.includes(type) ?? true) && !this.#exceptTypes.includes(type))
      .filter((lane) => !this.#isLaneHeld(lane))
      .flatMap(({ endpoint, type }) =>
        this.#search<Place>('seq, due_at', `AND endpoint = ? AND type = ? AND ${isResourceFree}`, [
          endpoint,
          type,
          this.#exceptResources,
        ]),
      )
      .sort((a, b) => Number(a.due_at) - Number(b.due_at) || Number(a.seq) - Number(b.seq))
      .slice(0, this.#limit)
    const now = this.#now
    // Another process may have claimed an event since.
    return this.#connection.all<EventRow>(
      `SELECT ${this.#columns} FROM webhook_inbox_events WHERE seq IN (SELECT value FROM json_each(?))
        AND ${open} AND ${isFree} ORDER BY due_at, seq`,
      ...[JSON.stringify(places.map(({ seq }) => Number(seq))), now, now],
    )
  }

  /** The first types after a place. */
  lanesAfter(place: Lane): Lane[] {
    const endpoint = this.#endpoint
    const next = endpoint === undefined ? nextLane : nextLaneOfEndpoint
    let last = endpoint === undefined || place.endpoint !== '' ? place : { endpoint, type: '' }
    const found: Lane[] = []
    while (found.length < mostLanes) {
      const [lane] = this.#connection.all<Lane>(next, last.endpoint, last.type)
      if (!lane) {
        break
      }
      found.push(lane)
      last = lane
    }
    return found
  }

  /** Reads the oldest events of every type. The order of the join is fixed. Otherwise SQLite may read all events. */
  amongOldest(): { readonly rows: EventRow[]; readonly isMore: boolean } {
    const now = this.#now
    const most = this.#limit + mostOldest
    const read = [now, ...this.#endpointValues, most]
    const [all] = this.#connection.all<{ n: number }>(
      `SELECT count(*) AS n FROM (${oldest(this.#endpoint)})`,
      ...read,
    )
    const types = this.#onlyTypes === undefined ? null : JSON.stringify(this.#onlyTypes)
    const exceptTypes = JSON.stringify(this.#exceptTypes)
    const rows = this.#connection.all<EventRow>(
      `SELECT ${this.#columns} FROM (${oldest(this.#endpoint)}) AS o CROSS JOIN webhook_inbox_events AS e ON e.seq = o.place
      WHERE ${isFree} AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
        AND type NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (${isHeldOf}) AND ${isResourceFree} AND ${isInTurn}
      ORDER BY e.due_at, e.seq LIMIT ?`,
      ...[...read, now, now, types, types, exceptTypes, now, now, now, this.#exceptResources, this.#limit],
    )
    return { rows, isMore: Number(all?.n) >= most }
  }

  /** In two statements, so that each reads an index in its order. */
  #search<Row>(columns: string, conditions: string, values: readonly string[]): Row[] {
    const now = this.#now
    const find = (when: string, times: number[], left: number) =>
      this.#connection.all<Row>(
        `SELECT ${columns} FROM webhook_inbox_events AS e
        WHERE ${open} AND waits = 0 AND ${when} AND ${isFree} ${conditions} AND ${isInTurn}
        ORDER BY due_at, seq LIMIT ?`,
        ...[...times, now, now, ...values, left],
      )
    const due = find('due_at <= ?', [now], this.#limit)
    const ahead = now + clockMarginSeconds * 1000
    return [...due, ...find('scheduled_at > ? AND due_at > ?', [ahead, now], this.#limit - due.length)]
  }

  #isLaneHeld({ endpoint, type }: Lane): boolean {
    const now = this.#now
    return this.#connection.all(isLaneHeld, endpoint, type, endpoint, type, now, now, now).length > 0
  }

  /** The values of the SQL that {@link ofEndpoint} gives. */
  get #endpointValues(): readonly string[] {
    return this.#endpoint === undefined ? [] : [this.#endpoint]
  }
}
