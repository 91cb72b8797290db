import type { Receiver, StoredEvent, StoredQuarantine } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import { Problem } from '../problem.js'
import { auditsOfDelivery } from '../views/audits-of-delivery.js'
import { auditsOfEvent } from '../views/audits-of-event.js'
import type { AuditRow } from '../wire.js'
import { whoDid } from './as-seen.js'
import type { Call } from './route.js'

const [event, delivery] = [
  'There is no event with this id.',
  'No delivery is quarantined under this key.',
] as const

export const noEvent = new Problem('not_found', `${event} It may have been discarded or pruned.`)

export const noDelivery = new Problem(
  'not_found',
  `${delivery} An operator may have discarded or released it.`,
)

/** The event that is to change. Throws a `Problem` that says who discarded it. */
export async function eventToChange(call: Call): Promise<StoredEvent> {
  const id = call.param('id')
  const found = await call.receiver.inspect(id)
  if (found) {
    return found
  }
  const last = await newestOf(call, (receiver) => auditsOfEvent(receiver, id))
  const isDiscarded = last?.action === 'discard' && !last.isOfDelivery
  throw isDiscarded ? new Problem('not_found', `${event} ${whoDid(last)}`) : noEvent
}

/** The delivery that is to change. Throws a `Problem` that says who discarded or released it. */
export async function deliveryToChange(call: Call): Promise<StoredQuarantine> {
  const found = await call.receiver.inspectQuarantined(call.param('key'))
  if (found) {
    return found
  }
  throw await deliveryIsGone(call)
}

/** Who discarded or released the delivery. */
export async function deliveryIsGone(call: Call): Promise<Problem> {
  const last = await newestOf(call, (receiver) => auditsOfDelivery(receiver, call.param('key')))
  const hasLeft = last?.action === 'discard' || last?.action === 'verifyAgain'
  return hasLeft ? new Problem('not_found', `${delivery} ${whoDid(last)}`) : noDelivery
}

/** The newest audit, for those who may read it. */
async function newestOf(
  { receiver, may }: Call,
  audits: (receiver: Receiver) => Promise<readonly AuditRow[]>,
): Promise<AuditRow | undefined> {
  const found = (await may('audits:read')) ? await ifSupported(() => audits(receiver)) : undefined
  return found?.[0]
}
