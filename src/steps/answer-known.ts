import { StoreError } from '../errors.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { EventRef } from '../store/event-ref.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedDelivery } from '../verified-delivery.js'
import { quarantine } from './quarantine.js'

/** The outcome for an event that the store does not let run now. */
type Known =
  | { readonly state: 'duplicate'; readonly contentHash: string }
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }

/**
 * Answers a delivery of an event that the store already has. The same content is a duplicate. Other content with the
 * same id is a conflict and is quarantined.
 */
export async function answerKnown(
  pipeline: Pipeline,
  known: Known,
  { contentHash }: EventRef,
  delivery: VerifiedDelivery,
  deadline: Deadline,
): Promise<ReceiveResult> {
  if (known.state === 'busy') {
    return reject('in_progress', { ...delivery, retryAfterSeconds: known.retryAfterSeconds })
  }
  // A store of the user may return anything. Only a conflict that it states may reject an event for ever.
  if (known.state !== 'duplicate' || typeof known.contentHash !== 'string') {
    throw new StoreError('the store resolved to an unknown state; fix: run storeSuite on it')
  }
  return known.contentHash === contentHash
    ? acknowledge('duplicate', delivery)
    : quarantine(pipeline, 'event_id_conflict', delivery, deadline)
}
