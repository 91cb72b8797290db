import type { Context } from '../context.js'
import { envelopeBytes } from './envelope.js'
import { readEvent, type StoredEvent } from './events.js'
import { insertDeliveries, type Plan } from './outbox.js'

export interface NewEvent extends Plan {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
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
