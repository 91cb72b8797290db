import type { StoredEvent, StoredQuarantine } from 'webhook-inbox'
import type { EventRow, QuarantineRow } from '../wire.js'

/** An event without its body. The hash of the content stays here: a short value behind a mask could be guessed from it. */
export const eventRow = (event: StoredEvent): EventRow => ({
  id: event.id,
  type: event.type,
  state: event.state,
  createdAt: event.createdAt,
  receivedAt: event.receivedAt,
  ...(event.doneAt !== undefined && { doneAt: event.doneAt }),
  ...(event.retryAt !== undefined && { retryAt: event.retryAt }),
  attempt: event.attempt,
  failures: event.failures,
  generation: event.generation,
  ...(event.lastError !== undefined && { lastError: event.lastError }),
  ...(event.resource !== undefined && { resource: event.resource }),
  bytes: event.body.byteLength,
})

export const quarantineRow = (delivery: StoredQuarantine): QuarantineRow => ({
  key: delivery.key,
  code: delivery.code,
  ...(delivery.eventId !== undefined && { eventId: delivery.eventId }),
  receivedAt: delivery.receivedAt,
  deliveries: delivery.deliveries,
  bytes: delivery.body.byteLength,
})
