import { announce } from '../announce.js'
import type { Context } from '../context.js'
import { diceFor, readChaos } from './chaos.js'
import type { Delivery } from './deliveries.js'
import type { StoredEvent } from './events.js'
import { type Subscription, subscriptionsFor } from './subscriptions.js'

/** How an event is delivered. */
export interface Plan {
  /** Deliveries for each subscription: 0 for an event that is never delivered, 2 for duplicates. Default 1. */
  readonly copies?: 0 | 1 | 2
  /** Seconds by the sandbox's clock before the first attempt. Default 0. */
  readonly delaySeconds?: number
  /**
   * The id of an event of the same transaction that is delivered after this one. Its first attempt waits until the
   * first attempt of this event has ended, for each subscription that wants both.
   */
  readonly before?: string
}

interface NewDelivery {
  readonly event: { readonly id: string }
  readonly subscription: Subscription
  readonly cause: Delivery['cause']
  /** When the first attempt is due; `null` if the caller makes it. */
  readonly dueAt: number | null
  /** Default `pending`. */
  readonly state?: 'pending' | 'canceled'
  /** The Service-Signature that the first attempt sends, also after a restart. Default: a new one. */
  readonly signature?: string | undefined
}

/** Plans a delivery of the event for each enabled subscription that wants it, in the transaction of the event. */
export function insertDeliveries(context: Context, event: StoredEvent, plan: Plan): void {
  const { copies = 1, delaySeconds = 0, before } = plan
  const subscriptions = copies === 0 ? [] : subscriptionsFor(context.database, event.type)
  const chaos = readChaos(context.database)
  for (const subscription of subscriptions) {
    const dice = diceFor(chaos, subscription.id)
    const dueAt = Math.ceil(context.clock.now() + delaySeconds * 1000)
    const { seq } = insertDelivery(context, { event, subscription, cause: 'event', dueAt })
    const late = dice.happens('reorder', seq, 0) ? (dice.faults.reorder?.windowSeconds ?? 0) : 0
    if (late > 0) {
      postpone(context, seq, dueAt + late * 1000 * dice.amount('reorder', seq, 0))
    }
    const isDoubled = dice.happens('duplicate', seq, 0)
    for (let copy = 1; copy < copies + Number(isDoubled); copy++) {
      insertDelivery(context, { event, subscription, cause: 'duplicate', dueAt })
    }
    if (before !== undefined) {
      holdBack(context, before, event.id, subscription.id)
    }
  }
}

/** Inserts one delivery. A canceled one has ended. */
export function insertDelivery(
  context: Context,
  { event, subscription, cause, dueAt, state = 'pending', signature }: NewDelivery,
): { readonly seq: number; readonly id: string } {
  const { database, clock, ids } = context
  const id = ids.next('dlv')
  const now = clock.now()
  const endedAt = state === 'canceled' ? now : null
  const { url, envelope } = subscription
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO deliveries (id, event_id, subscription_id, url, envelope, cause, state, due_at, created_at, ended_at, signature)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, event.id, subscription.id, url, envelope, cause, state, dueAt, now, endedAt, signature ?? null)
  announce(context, 'delivery', id)
  return { seq: Number(lastInsertRowid), id }
}

function postpone({ database }: Context, seq: number, dueAt: number): void {
  database.prepare('UPDATE deliveries SET due_at = ? WHERE seq = ?').run(Math.ceil(dueAt), seq)
}

/** Makes the deliveries of one event wait for the first attempt of another. Deliveries with an attempt do not change. */
function holdBack({ database }: Context, heldId: string, firstId: string, subscriptionId: string): void {
  database
    .prepare(
      `UPDATE deliveries SET due_at = NULL, waits_for = ?
       WHERE event_id = ? AND subscription_id = ? AND state = 'pending' AND attempts = 0`,
    )
    .run(firstId, heldId, subscriptionId)
}
