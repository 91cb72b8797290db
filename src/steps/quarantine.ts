import { sha256 } from '#crypto'
import type { Code } from '../codes.js'
import type { VerifiedDelivery } from '../delivery.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { EventRef } from '../store/event-ref.js'
import type { Inbox } from '../store/inbox.js'
import type { Deadline } from '../timing/deadline.js'
import { answerInTime } from './answer-in-time.js'

/**
 * Ends a verified delivery that no retry can help. A store that keeps bodies keeps it for a person to look at. Any other
 * store answers with the code.
 */
export async function quarantine(
  pipeline: Pipeline,
  code: Code,
  delivery: VerifiedDelivery & { readonly detail?: string | undefined },
  deadline: Deadline,
): Promise<ReceiveResult> {
  const { inbox } = pipeline.store
  if (!inbox) {
    return reject(code, delivery)
  }
  const work = keepDelivery(pipeline, inbox, code, delivery)
  return answerInTime(pipeline, deadline, delivery, work, () => reject('store_unavailable', delivery))
}

async function keepDelivery(
  { endpoint, ready }: Pipeline,
  inbox: Inbox<unknown>,
  code: Code,
  delivery: VerifiedDelivery,
): Promise<ReceiveResult> {
  await ready()
  const { body, event } = delivery
  const contentHash = await sha256(body)
  const eventId = event && { eventId: event.id }
  const outcome = await inbox.quarantine({ endpoint, code, contentHash, body, ...eventId })
  if (outcome.state === 'full') {
    return reject(code, { ...delivery, detail: 'the quarantine is full' })
  }
  return acknowledge('quarantined', { ...delivery, code })
}

/**
 * Keeps an event that no retry can process as a dead event, which can be replayed once the cause is fixed. A store that
 * keeps no bodies answers with the code. So does an event from the queue, which its worker marks dead.
 */
export async function quarantineEvent(
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
  const outcome = await inbox.quarantineEvent(ref, code, delivery.detail ?? '')
  if (outcome.state === 'busy') {
    return reject('in_progress', { ...delivery, retryAfterSeconds: outcome.retryAfterSeconds })
  }
  if (outcome.state === 'quarantined') {
    return acknowledge('quarantined', { ...delivery, code })
  }
  return outcome.contentHash === ref.contentHash
    ? acknowledge('duplicate', delivery)
    : quarantine(pipeline, 'event_id_conflict', delivery, deadline)
}
