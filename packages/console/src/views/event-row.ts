import type { StoredEvent, StoredQuarantine } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { EventRow, QuarantineRow } from '../wire.js'
import { factOf } from './advice.js'
import { hiddenValues, withoutHidden } from './hidden-values.js'

/**
 * An event without its body. Without the hash of the content, because a short masked value could be guessed from it. Masked
 * values are also hidden in the error and the resource. So with a mask `event` needs its body.
 */
export function eventRow(event: StoredEvent, { mask }: Pick<Resolved, 'mask'>): EventRow {
  const { lastError, resource } = event
  const texts = {
    ...(lastError !== undefined && { lastError }),
    ...(resource !== undefined && { resource }),
  }
  const hidden = mask && Object.keys(texts).length > 0 ? hiddenValues(event.body, mask) : []
  return {
    id: event.id,
    type: event.type,
    state: event.state,
    createdAt: event.createdAt,
    receivedAt: event.receivedAt,
    ...(event.deliveredAt !== undefined && { deliveredAt: event.deliveredAt }),
    ...(event.doneAt !== undefined && { doneAt: event.doneAt }),
    ...(event.retryAt !== undefined && { retryAt: event.retryAt }),
    attempt: event.attempt,
    failures: event.failures,
    generation: event.generation,
    ...withoutHidden(texts, hidden),
    ...(event.group !== undefined && { group: event.group }),
    ...(event.parent !== undefined && { parent: event.parent }),
    bytes: event.bodyBytes ?? event.body.byteLength,
  }
}

/** `idInBody` of a delivery that has no id of an event. */
export function quarantineRow(delivery: StoredQuarantine, idInBody?: string): QuarantineRow {
  const fact = factOf(delivery.code, true)
  return {
    key: delivery.key,
    code: delivery.code,
    ...(fact !== undefined && { fact }),
    ...(delivery.eventId !== undefined && { eventId: delivery.eventId }),
    ...(idInBody !== undefined && { idInBody }),
    receivedAt: delivery.receivedAt,
    deliveries: delivery.deliveries,
    bytes: delivery.bodyBytes ?? delivery.body.byteLength,
  }
}
