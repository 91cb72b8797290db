/**
 * The service's resources as zod 4 schemas. The client takes its types from them. The sandbox validates requests and
 * answers with them, and writes its OpenAPI document from them.
 *
 * Requests (`WalletRequest`, `TransferRequest`, `WebhookSubscriptionRequest`) are strict: an unknown field is rejected.
 * `firstIssue(error)` turns a failure into the `param` and the message of a problem document.
 *
 * Answers (`Wallet`, `Transfer`, ...) are loose: unknown fields survive. States and types are open sets.
 *
 * For OpenAPI each schema carries `.meta()`. Its `id` becomes the name under `components.schemas`, beside `description`
 * and `examples`. `'x-assumed': 'G2'` marks what the interface does not publish, with the number of the gap. It stands
 * on a field or on a whole resource, where it covers the fields that have no mark of their own.
 *
 * @module
 */
export { Approval } from './approval.js'
export { Currency, currencies, GivenCurrency } from './currency.js'
export {
  ApprovalUpdatedEvent,
  ApprovalUpdatedSnakeCaseEvent,
  type KnownServiceEvent,
  LedgerMatchedEvent,
  LedgerMatchedSnakeCaseEvent,
  OtherEvent,
  OtherSnakeCaseEvent,
  ServiceEvent,
  SnakeCaseServiceEvent,
  TransferFailedEvent,
  TransferFailedSnakeCaseEvent,
  TransferSettledEvent,
  TransferSettledSnakeCaseEvent,
} from './event.js'
export {
  ApprovalUpdatedData,
  ApprovalUpdatedSnakeCaseData,
  LedgerMatchedData,
  LedgerMatchedSnakeCaseData,
  TransferFailedData,
  TransferFailedSnakeCaseData,
  TransferSettledData,
  TransferSettledSnakeCaseData,
} from './event-data.js'
export { IdempotencyKey } from './idempotency-key.js'
export {
  ApprovalId,
  CustomerId,
  EventId,
  givenId,
  LedgerEntryId,
  TransferId,
  WalletId,
  WebhookSubscriptionId,
} from './identifiers.js'
export { firstIssue, type RequestIssue } from './issue.js'
export { isKnownEvent } from './known-event.js'
export { type KnownEventType, knownEventTypes } from './known-event-types.js'
export { LedgerEntry } from './ledger-entry.js'
export { assumed, type Gap, openSet } from './meta.js'
export { GivenAmount, GivenAmountAsNumber, Money, minorUnits } from './money.js'
export { type Page, PageQuery, pageOf } from './page.js'
export { Problem } from './problem.js'
export { Timestamp } from './timestamp.js'
export { Transfer, TransferRequest, TransferRequestA, TransferRequestB } from './transfer.js'
export { Balance, Wallet, WalletRequest } from './wallet.js'
export {
  CreatedWebhookSubscription,
  WebhookSubscription,
  WebhookSubscriptionRequest,
} from './webhook-subscription.js'
export { isLoopback, webhookUrlProblem } from './webhook-url.js'
