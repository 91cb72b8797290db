import type { Context } from '../context.js'
import { bytesOf } from '../database/blob.js'
import type { Database } from '../database/open.js'
import { envelopeBytes } from './envelope.js'
import { insertDeliveries } from './outbox.js'

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

export interface NewEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** Deliveries for each subscription: 0 for an event that is never delivered, 2 for duplicates. Default 1. */
  readonly copies?: 0 | 1 | 2
  /** Seconds by the sandbox's clock before the first attempt. Default 0. */
  readonly delaySeconds?: number
  /**
   * The id of an event of the same transaction that is delivered after this one. Its first attempt waits until the
   * first attempt of this event has ended, for each subscription that wants both.
   */
  readonly before?: string
}

/**
 * Stores an event with its bytes, and a delivery for each enabled subscription that wants it.
 * Call it in the transaction that changes the state which the event reports; call `courier.wake()` after the commit.
 */
export function recordEvent(context: Context, event: NewEvent): StoredEvent {
  const { database, clock, ids, options } = context
  const { type } = event
  const id = ids.next('evt')
  const createdAt = clock.now()
  const data = JSON.stringify(event.data)
  const fields = { id, type, createdAt, data, product: options.product }
  const camel = envelopeBytes('camelCase', fields)
  const snake = envelopeBytes('snake_case', fields)
  database
    .prepare(
      'INSERT INTO events (id, type, data, camel_body, snake_body, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(id, type, data, camel, snake, createdAt)
  const stored = readEvent(database, id) as StoredEvent
  insertDeliveries(context, stored, event)
  return stored
}

/** The event with this id; `undefined` where there is none, or where it was pruned. */
export function readEvent(database: Database, id: string): StoredEvent | undefined {
  const row = database.prepare('SELECT * FROM events WHERE id = ?').get(id)
  return row === undefined ? undefined : eventOf(row as EventRow)
}

export interface Page {
  /** At most this many. */
  readonly limit: number
  /** Only what was stored before the row with this `seq`. */
  readonly before?: number | undefined
}

/** Events, the newest first. */
export function listEvents(
  database: Database,
  { limit, before = Number.MAX_SAFE_INTEGER }: Page,
): StoredEvent[] {
  const rows = database
    .prepare('SELECT * FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?')
    .all(before, limit)
  return (rows as EventRow[]).map(eventOf)
}

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
