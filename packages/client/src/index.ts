/**
 * The typed client of the payments platform: auth, retries, pagination, idempotency and webhook signing.
 *
 * @module
 */
export {
  type SignatureScheme,
  type SignInput,
  signPayload,
  VerificationError,
  type Verified,
  type VerifyInput,
  verifySignature,
} from 'webhook-inbox'
export { type Client, createClient } from './create-client.js'
export {
  ApiError,
  ConnectionError,
  type FailedCall,
  ServiceClientError,
  TimeoutError,
  type UsageCode,
  UsageError,
} from './errors.js'
export type { List, PageOptions } from './list.js'
export type { Auth, CallOptions, ClientOptions, RequestToAuthorize, RetryOptions } from './options.js'
export type { Approval } from './schemas/approval.js'
export type { KnownServiceEvent, ServiceEvent } from './schemas/event.js'
export { isKnownEvent } from './schemas/known-event.js'
export type { LedgerEntry } from './schemas/ledger-entry.js'
export type { Page } from './schemas/page.js'
export type { Transfer, TransferRequest, TransferRequestA, TransferRequestB } from './schemas/transfer.js'
export type { Balance, Wallet, WalletRequest } from './schemas/wallet.js'
export type {
  CreatedWebhookSubscription,
  WebhookSubscription,
  WebhookSubscriptionRequest,
} from './schemas/webhook-subscription.js'
