import { sha256 } from '#crypto'
import type { Code } from '../codes.js'
import { idOfBody } from '../event/parse.js'
import type { Pipeline } from '../options/settings.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { Inbox } from '../store/inbox.js'
import { quarantineKey } from '../store/quarantined-delivery.js'
import type { Deadline } from '../timing/deadline.js'
import type { VerifiedDelivery } from '../verified-delivery.js'
import { answerInTime } from './answer-in-time.js'

/**
 * Answers a verified delivery that no retry can help. A store that keeps bodies keeps the delivery for review. With any
 * other store the delivery is rejected with the code.
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
  const { body } = delivery
  const bodyHash = await sha256(body)
  const id = idOf(code, delivery)
  const eventId = id !== undefined && { eventId: id }
  const outcome = await inbox.quarantine({ endpoint, code, bodyHash, body, ...eventId })
  if (outcome.state === 'full') {
    return reject(code, { ...delivery, detail: 'the quarantine is full' })
  }
  const key = quarantineKey({ endpoint, bodyHash })
  return acknowledge('quarantined', { ...delivery, code, ...eventId, key })
}

/** The code says that the JSON is not ambiguous: what is wrong is another field than the id. */
function idOf(code: Code, { body, event }: VerifiedDelivery): string | undefined {
  if (event || !(code === 'invalid_data' || code === 'invalid_envelope')) {
    return event?.id
  }
  return idOfBody(body)
}
