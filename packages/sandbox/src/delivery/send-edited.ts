import type { Context } from '../context.js'
import type { AttemptingContext } from './attempting.js'
import { type Delivery, readDelivery } from './deliveries.js'
import { readEvent } from './events.js'
import { insertDelivery } from './outbox.js'
import { ReplayError } from './replay.js'
import { signAnew } from './sign-anew.js'
import { readSubscription, type Subscription } from './subscriptions.js'

/** `fresh`: a new signature. `original`: the signature of the delivery. `wrong`: with another secret. `none`: without. */
export const signatureModes = ['fresh', 'original', 'wrong', 'none'] as const

export interface EditRequest {
  /** The bytes to send instead of the event's bytes. */
  readonly body: Uint8Array
  readonly signature: (typeof signatureModes)[number]
  /** How far `t` of a new signature lies in the past, in seconds; negative for the future. */
  readonly ageSeconds: number
}

const wrongSecret = 'whsec_local_wrong'

/**
 * Sends other bytes under the id of a delivery's event, once, as a new delivery. The event does not change. Resolves
 * to the new delivery after its attempt. Rejects with `ReplayError`.
 */
export async function sendEdited(
  context: AttemptingContext,
  deliveryId: string,
  request: EditRequest,
): Promise<Delivery> {
  const { database, courier } = context
  const origin = readDelivery(database, deliveryId)
  const event = origin && readEvent(database, origin.eventId)
  if (!origin || !event) {
    throw new ReplayError('delivery_not_found', `there is no delivery ${deliveryId}`)
  }
  const subscription = readSubscription(database, origin.subscriptionId)
  if (subscription?.status !== 'enabled') {
    throw new ReplayError('no_subscription', `the subscription of ${deliveryId} is disabled or deleted`)
  }
  const signature = await signatureOf(context, origin, subscription, request)
  const { body, ageSeconds } = request
  const isSameBody = Buffer.compare(body, event.bodies[origin.envelope]) === 0
  const edited = { signature: request.signature, ageSeconds, isSameBody }
  // `canceled` until its attempt ends. Otherwise, after a crash, the event's own bytes would be sent.
  const planned = { event, subscription, cause: 'replay', dueAt: null, state: 'canceled' } as const
  const { id } = database.transaction(() => insertDelivery(context, planned))()
  await courier.attemptNow(id, { body, signature, edited })
  return readDelivery(database, id) as Delivery
}

async function signatureOf(
  { options }: Context,
  { id, eventId, signature: original }: Delivery,
  { secret }: Subscription,
  { body, signature, ageSeconds }: EditRequest,
): Promise<string | null> {
  if (signature === 'none') {
    return null
  }
  if (signature === 'original') {
    if (original === undefined) {
      throw new ReplayError('not_sent_yet', `${id} was not sent yet, so it has no original signature`)
    }
    return original
  }
  return signAnew(options, {
    body,
    secret: signature === 'wrong' ? wrongSecret : secret,
    eventId,
    skewSeconds: -ageSeconds,
  })
}
