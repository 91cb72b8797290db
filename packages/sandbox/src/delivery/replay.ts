import type { Context } from '../context.js'
import type { AttemptingContext } from './attempting.js'
import { type Delivery, readDelivery } from './deliveries.js'
import { readEvent, type StoredEvent } from './events.js'
import { insertDelivery } from './outbox.js'
import { recordEvent } from './record-event.js'
import { type Subscription, subscriptionsFor } from './subscriptions.js'

/** Limits of one call: replays for each subscription, and concurrent replays in total. */
export const maxReplays = 100

export interface ReplayRequest {
  /** How often, for each subscription that wants the event: 1 to 100. Default 1. */
  readonly times?: number | undefined
  /** Sends all of them together rather than one after another. Default false. */
  readonly concurrent?: boolean | undefined
  /** `original` sends the Service-Signature of the first attempt again, with its old `t`. Default `fresh`. */
  readonly signature?: 'fresh' | 'original' | undefined
  /** Only to this subscription. Default: to every enabled one that wants the event. */
  readonly subscriptionId?: string | undefined
  /** Sends another event with the same type and data, under a new identifier. Default false. */
  readonly newId?: boolean | undefined
}

/** A replay or a retry that cannot be made. */
export class ReplayError extends Error {
  readonly code:
    | 'event_not_found'
    | 'delivery_not_found'
    | 'no_subscription'
    | 'not_sent_yet'
    | 'under_way'
    | 'invalid_times'

  constructor(code: ReplayError['code'], message: string) {
    super(message)
    this.name = 'ReplayError'
    this.code = code
  }
}

/**
 * Delivers an event again: same id, same bytes. Resolves to the new deliveries once each has had its attempt. A replay is one
 * attempt. If it fails, it is not retried. Rejects with `ReplayError`.
 */
export async function replay(
  context: AttemptingContext,
  eventId: string,
  { times = 1, concurrent = false, signature = 'fresh', subscriptionId, newId = false }: ReplayRequest = {},
): Promise<Delivery[]> {
  const { database, courier } = context
  if (!Number.isInteger(times) || times < 1 || times > maxReplays) {
    throw new ReplayError('invalid_times', `times must be 1 to ${maxReplays}`)
  }
  const known = readEvent(database, eventId)
  if (!known) {
    throw new ReplayError('event_not_found', `there is no event ${eventId}`)
  }
  const targets = subscriptionsFor(database, known.type).filter(
    ({ id }) => subscriptionId === undefined || id === subscriptionId,
  )
  if (targets.length === 0) {
    throw new ReplayError('no_subscription', `no enabled subscription wants ${known.type}`)
  }
  const event = newId ? copyOf(context, known) : known
  const original = new Map(
    signature === 'original' ? targets.map(({ id }) => [id, originalSignature(context, event, id)]) : [],
  )
  const replays = planned(context, { event, targets, times, original })
  const lanes = concurrent ? Math.min(replays.length, maxReplays) : 1
  const waiting = replays.values()
  const sendWaiting = async () => {
    for (const { id } of waiting) {
      await courier.attemptNow(id)
    }
  }
  await Promise.all(Array.from({ length: lanes }, sendWaiting))
  return replays.map((delivery) => readDelivery(database, delivery.id) ?? delivery)
}

/** Makes another attempt for a delivery now. Resolves to the delivery after the attempt. Rejects with `ReplayError`. */
export async function retry(context: AttemptingContext, deliveryId: string): Promise<Delivery> {
  const { database, courier } = context
  if (!readDelivery(database, deliveryId)) {
    throw new ReplayError('delivery_not_found', `there is no delivery ${deliveryId}`)
  }
  if (courier.isUnderWay(deliveryId)) {
    throw new ReplayError('under_way', `an attempt for ${deliveryId} is under way`)
  }
  if (!(await courier.attemptNow(deliveryId))) {
    throw new ReplayError('no_subscription', `the subscription of ${deliveryId} is disabled or deleted`)
  }
  return readDelivery(database, deliveryId) as Delivery
}

/** A copy of the event with a new id. It has no deliveries yet. */
const copyOf = (context: Context, { type, data }: StoredEvent): StoredEvent =>
  context.database.transaction(() => recordEvent(context, { type, data, copies: 0 }))()

interface Planned {
  readonly event: StoredEvent
  readonly targets: readonly Subscription[]
  readonly times: number
  /** The signature to send again, by the id of a subscription. */
  readonly original: ReadonlyMap<string, string>
}

function planned(context: Context, { event, targets, times, original }: Planned): Delivery[] {
  const { database } = context
  return database.transaction(() =>
    targets.flatMap((subscription) =>
      Array.from({ length: times }, () => {
        const signature = original.get(subscription.id)
        const { id } = insertDelivery(context, {
          event,
          subscription,
          cause: 'replay',
          dueAt: null,
          signature,
        })
        return readDelivery(database, id) as Delivery
      }),
    ),
  )()
}

function originalSignature({ database }: Context, { id }: StoredEvent, subscriptionId: string): string {
  const row = database
    .prepare(
      `SELECT signature FROM deliveries WHERE event_id = ? AND subscription_id = ? AND signature IS NOT NULL
       ORDER BY seq LIMIT 1`,
    )
    .get(id, subscriptionId)
  if (row !== undefined) {
    return (row as { signature: string }).signature
  }
  throw new ReplayError('not_sent_yet', `${id} was not sent yet, so it has no original signature`)
}
