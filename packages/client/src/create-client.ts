import { endpoint } from './endpoint.js'
import { UsageError } from './errors.js'
import type { List, PageOptions } from './list.js'
import type { CallOptions, ClientOptions } from './options.js'
import { resolveOptions } from './resolve-options.js'
import type { Approval } from './schemas/approval.js'
import type { ServiceEvent } from './schemas/event.js'
import type { LedgerEntry } from './schemas/ledger-entry.js'
import type { Transfer, TransferRequest } from './schemas/transfer.js'
import type { Balance, Wallet, WalletRequest } from './schemas/wallet.js'
import type {
  CreatedWebhookSubscription,
  WebhookSubscription,
  WebhookSubscriptionRequest,
} from './schemas/webhook-subscription.js'
import { webhookUrlProblem } from './schemas/webhook-url.js'

/** Reads of one resource. */
interface Reads<Resource> {
  get(id: string, options?: CallOptions): Promise<Resource>
  list(from?: PageOptions, options?: CallOptions): List<Resource>
}

/** The service. The interface publishes only the three `create` methods. All other methods are assumptions. */
export interface Client {
  readonly wallets: Reads<Wallet> & {
    create(wallet: WalletRequest, options?: CallOptions): Promise<Wallet>
    balance(id: string, options?: CallOptions): Promise<Balance>
  }
  readonly transfers: Reads<Transfer> & {
    create(transfer: TransferRequest, options?: CallOptions): Promise<Transfer>
  }
  readonly events: Reads<ServiceEvent>
  readonly webhookSubscriptions: Reads<WebhookSubscription> & {
    /** The response holds the secret that signs deliveries. It is not shown again. */
    create(
      subscription: WebhookSubscriptionRequest,
      options?: CallOptions,
    ): Promise<CreatedWebhookSubscription>
    delete(id: string, options?: CallOptions): Promise<void>
  }
  readonly approvals: Reads<Approval>
  readonly ledgerEntries: Pick<Reads<LedgerEntry>, 'list'>
}

/**
 * Makes a client of the service. Throws `UsageError` where an option is wrong. Calls reject with `ApiError`,
 * `ConnectionError` or `TimeoutError`.
 */
export function createClient(options: ClientOptions): Client {
  const settings = resolveOptions(options)
  const { apiVersion, subscriptionsPath } = settings
  const wallets = endpoint<Wallet>(settings, `/${apiVersion}/wallets`)
  const transfers = endpoint<Transfer>(settings, `/${apiVersion}/transfers`)
  const events = endpoint<ServiceEvent>(settings, `/${apiVersion}/events`)
  const subscriptions = endpoint<WebhookSubscription>(settings, subscriptionsPath)
  const approvals = endpoint<Approval>(settings, `/${apiVersion}/approvals`)
  const ledgerEntries = endpoint<LedgerEntry>(settings, `/${apiVersion}/ledger/entries`)
  return {
    wallets: {
      create: wallets.create,
      get: wallets.get,
      list: wallets.list,
      balance: (id, call) => wallets.getPart<Balance>(id, 'balance', call),
    },
    transfers: { create: transfers.create, get: transfers.get, list: transfers.list },
    events: { get: events.get, list: events.list },
    webhookSubscriptions: {
      async create(subscription, call) {
        const problem = webhookUrlProblem(subscription.url)
        if (problem) {
          throw new UsageError('invalid_webhook_url', `url ${problem}`)
        }
        return subscriptions.create<CreatedWebhookSubscription>(subscription, call)
      },
      get: subscriptions.get,
      list: subscriptions.list,
      delete: subscriptions.remove,
    },
    approvals: { get: approvals.get, list: approvals.list },
    ledgerEntries: { list: ledgerEntries.list },
  }
}
