import type { Code } from '../codes.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { EventRef } from '../store/event-ref.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedDelivery } from '../verified-delivery.js'
import { answerKnown } from './answer-known.js'

/**
 * Keeps an event that no retry can process as a dead event. It can be replayed when the cause is fixed. If the store
 * keeps no bodies, the delivery is rejected with the code. An event from the queue also gets the code, and its worker
 * marks it dead.
 */
export async function acceptDead(
  pipeline: Pipeline,
  ref: EventRef,
  code: Code,
  delivery: VerifiedDelivery & { readonly detail?: string | undefined },
  deadline: Deadline,
): Promise<ReceiveResult> {
  const { inbox } = pipeline.store
  if (!inbox || delivery.source === 'queue') {
    return reject(code, delivery)
  }
  const outcome = await inbox.acceptDead(ref, code, delivery.detail ?? '')
  return outcome.state === 'dead'
    ? acknowledge('quarantined', { ...delivery, code })
    : answerKnown(pipeline, outcome, ref, delivery, deadline)
}
