import { subscriptionRecord, transferRecord } from '../api/api-records.js'
import { findTransfer } from '../bank/transfers.js'
import type { Database } from '../database/open.js'
import type { AttemptNotice } from '../delivery/attempt-notice.js'
import { readDelivery } from '../delivery/deliveries.js'
import { readSubscription } from '../delivery/subscriptions.js'
import type { Options } from '../options/options.js'
import { attemptRecord, deliveryRecord } from './control-records.js'
import type { Feed } from './feed.js'

/** Each function here reports a committed change to the readers of the stream. */

/** Reports a delivery or a subscription as it is now. */
export function publishRecord(
  feed: Feed,
  database: Database,
  kind: 'delivery' | 'subscription',
  id: string,
): void {
  const record = kind === 'delivery' ? deliveryOf(database, id) : subscriptionOf(database, id)
  if (record) {
    feed.publish(kind, record)
  }
}

function deliveryOf(database: Database, id: string) {
  const delivery = readDelivery(database, id)
  return delivery && deliveryRecord(delivery)
}

function subscriptionOf(database: Database, id: string) {
  const subscription = readSubscription(database, id)
  return subscription ? subscriptionRecord(subscription) : { id, status: 'deleted' }
}

export function publishAttempt(feed: Feed, notice: AttemptNotice): void {
  const { phase, delivery, number, of } = notice
  const attempt = phase === 'ended' ? attemptRecord(notice.attempt) : null
  feed.publish('attempt', { phase, number, of, delivery: deliveryRecord(delivery), attempt })
}

export function publishTransfers(
  feed: Feed,
  { database, options }: { readonly database: Database; readonly options: Options },
  ids: readonly string[],
): void {
  for (const id of ids) {
    feed.publish('transfer', transferRecord(findTransfer(database, id), options))
  }
}
