import type {
  Approval,
  Balance,
  CreatedWebhookSubscription,
  LedgerEntry,
  ServiceEvent,
  Transfer,
  Wallet,
  WebhookSubscription,
} from 'webhook-inbox-client/schemas'
import type { ApprovalRow } from '../bank/approvals.js'
import type { JournalRow } from '../bank/journal.js'
import { toDecimal } from '../bank/money.js'
import type { TransferFailure } from '../bank/rails.js'
import type { TransferRow } from '../bank/transfers.js'
import { balanceOf, type WalletRow } from '../bank/wallets.js'
import type { Database } from '../database/open.js'
import type { StoredEvent } from '../delivery/events.js'
import type { Subscription } from '../delivery/subscriptions.js'
import type { Options } from '../options/options.js'
import { timestamp } from '../timestamp.js'

/** Each function here turns a row into a record of the API. */

export function walletRecord(database: Database, row: WalletRow): Wallet {
  return {
    id: row.id as Wallet['id'],
    object: 'wallet',
    owner: row.owner as Wallet['owner'],
    currency: row.currency,
    status: 'active',
    balance: balanceRecord(database, row.id),
    createdAt: timestamp(row.created_at),
  }
}

export function balanceRecord(database: Database, walletId: string): Balance {
  const { posted, reserved } = balanceOf(database, walletId)
  return { available: toDecimal(posted - reserved), pending: toDecimal(reserved) }
}

export function transferRecord(row: TransferRow, { shapeBUnit }: Pick<Options, 'shapeBUnit'>): Transfer {
  const failure = row.failure === null ? undefined : (JSON.parse(row.failure) as TransferFailure)
  const isShapeA = row.shape === 'A'
  return {
    id: row.id as Transfer['id'],
    object: 'transfer',
    status: row.status,
    rail: row.rail,
    ledgerState: row.ledger_state,
    source: row.source as Transfer['source'],
    destination: isShapeA ? JSON.parse(row.destination) : (row.destination as Transfer['source']),
    amount: isShapeA ? toDecimal(row.minor) : shapeBAmount(row.minor, shapeBUnit),
    amountMinor: row.minor,
    currency: row.currency,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    ...(failure && { failure: { code: failure.failureCode, reason: failure.failureReason } }),
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}

/** Parsed from the decimal text, because a division could round the amount. */
const shapeBAmount = (minor: number, unit: Options['shapeBUnit']) =>
  unit === 'minor' ? minor : Number(toDecimal(minor))

export function approvalRecord(row: ApprovalRow): Approval {
  return {
    id: row.id as Approval['id'],
    object: 'approval',
    transferId: row.transfer_id as Approval['transferId'],
    status: row.status,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}

export function ledgerEntryRecord(row: JournalRow): LedgerEntry {
  return {
    id: row.id as LedgerEntry['id'],
    ...(row.transfer_id !== null && { transferId: row.transfer_id as Transfer['id'] }),
    account: row.account,
    amount: toDecimal(row.minor),
    currency: row.currency,
    createdAt: timestamp(row.created_at),
  }
}

/** The event as it is delivered in camelCase. */
export function eventRecord(event: StoredEvent): ServiceEvent {
  return JSON.parse(Buffer.from(event.bodies.camelCase).toString()) as ServiceEvent
}

export function subscriptionRecord(subscription: Subscription): WebhookSubscription {
  const { id, url, events, description, envelope, status, createdAt } = subscription
  return {
    id: id as WebhookSubscription['id'],
    url,
    events: [...events],
    description,
    envelope,
    status,
    createdAt: timestamp(createdAt),
  }
}

/** The only record with the secret. */
export function createdSubscriptionRecord(subscription: Subscription): CreatedWebhookSubscription {
  return { ...subscriptionRecord(subscription), secret: subscription.secret }
}
