import { bytesOf } from '../database/blob.js'
import type { Database } from '../database/open.js'
import { newestFirst, type Page } from '../database/page.js'

/** An event as it was committed. */
export interface StoredEvent {
  /** Grows with every event; a cursor for lists. */
  readonly seq: number
  readonly id: string
  readonly type: string
  /** Unix milliseconds by the sandbox's clock. */
  readonly createdAt: number
  readonly data: Readonly<Record<string, unknown>>
  /** The body of each representation. These bytes never change. */
  readonly bodies: { readonly camelCase: Uint8Array; readonly snake_case: Uint8Array }
}

/** The event with this id; `undefined` if there is none, or if it was pruned. */
export function readEvent(database: Database, id: string): StoredEvent | undefined {
  const row = database.prepare('SELECT * FROM events WHERE id = ?').get(id)
  return row === undefined ? undefined : eventOf(row as EventRow)
}

/** Events, the newest first. */
export const listEvents = (database: Database, page: Page): StoredEvent[] =>
  newestFirst<EventRow>(database, 'events', page).map(eventOf)

interface EventRow {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly camel_body: Uint8Array
  readonly snake_body: Uint8Array
  readonly created_at: number
}

function eventOf(row: EventRow): StoredEvent {
  return {
    seq: row.seq,
    id: row.id,
    type: row.type,
    createdAt: row.created_at,
    data: JSON.parse(row.data) as Record<string, unknown>,
    bodies: { camelCase: bytesOf(row.camel_body), snake_case: bytesOf(row.snake_body) },
  }
}
