/** A call that the documents show. They run in this order against a fresh sandbox. */
export interface Call {
  readonly title: string
  readonly operationId?: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `$NAME` stands for what an earlier call saved. */
  readonly path: string
  readonly idempotencyKey?: string
  readonly body?: unknown
  readonly status: number
  /** Saves the `id` of the response, or of the first item of a list, under this name. */
  readonly saves?: string
  /** Seconds that pass before the call. */
  readonly afterSeconds?: number
}

const phone = '+254712345678'

export const calls: readonly Call[] = [
  {
    title: 'Create a wallet',
    operationId: 'createWallet',
    method: 'POST',
    path: '/v1/wallets',
    idempotencyKey: 'wallet-1',
    body: { owner: 'cus_ada', currency: 'EUR' },
    status: 201,
  },
  {
    title: 'List wallets',
    operationId: 'listWallets',
    method: 'GET',
    path: '/v1/wallets?limit=2',
    status: 200,
  },
  {
    title: 'Read a wallet',
    operationId: 'getWallet',
    method: 'GET',
    path: '/v1/wallets/wallet_kes_ada',
    status: 200,
  },
  {
    title: 'Read a balance',
    operationId: 'getWalletBalance',
    method: 'GET',
    path: '/v1/wallets/wallet_kes_ada/balance',
    status: 200,
  },
  ...['', '/v1'].flatMap((prefix): Call[] => {
    const suffix = prefix ? 'V1' : ''
    const among = prefix ? ' (with the prefix)' : ''
    const name = prefix ? 'SUBSCRIPTION_V1' : 'SUBSCRIPTION'
    return [
      {
        title: `Subscribe to events${among}`,
        operationId: `createWebhookSubscription${suffix}`,
        method: 'POST',
        path: `${prefix}/webhook-subscriptions`,
        body: {
          url: 'http://127.0.0.1:3000/webhooks',
          events: ['transfer.settled', 'transfer.failed', 'approval.updated', 'ledger.matched'],
          description: 'Settlement events',
        },
        status: 201,
        saves: name,
      },
      {
        title: `List subscriptions${among}`,
        operationId: `listWebhookSubscriptions${suffix}`,
        method: 'GET',
        path: `${prefix}/webhook-subscriptions`,
        status: 200,
      },
      {
        title: `Read a subscription${among}`,
        operationId: `getWebhookSubscription${suffix}`,
        method: 'GET',
        path: `${prefix}/webhook-subscriptions/$${name}`,
        status: 200,
      },
      {
        title: `Delete a subscription${among}`,
        operationId: `deleteWebhookSubscription${suffix}`,
        method: 'DELETE',
        path: `${prefix}/webhook-subscriptions/$${name}`,
        status: 204,
      },
    ]
  }),
  {
    title: 'Transfer out of the service (shape A)',
    operationId: 'createTransfer',
    method: 'POST',
    path: '/v1/transfers',
    idempotencyKey: 'order-1042',
    body: {
      source: 'wallet_kes_ada',
      destination: { type: 'mobile_money', network: 'sim_settle', phone },
      amount: '10.50',
      currency: 'KES',
      metadata: { reference: 'order 1042' },
    },
    status: 201,
    saves: 'TRANSFER',
  },
  {
    title: 'Transfer between wallets (shape B)',
    operationId: 'createTransfer',
    method: 'POST',
    path: '/v1/transfers',
    body: {
      source: 'wallet_kes_ada',
      destination: 'wallet_kes_ben',
      amount: 1050,
      currency: 'KES',
      rail: 'sim_approval',
    },
    status: 201,
  },
  {
    title: 'Read a transfer',
    operationId: 'getTransfer',
    method: 'GET',
    path: '/v1/transfers/$TRANSFER',
    status: 200,
    afterSeconds: 1,
  },
  {
    title: 'List transfers',
    operationId: 'listTransfers',
    method: 'GET',
    path: '/v1/transfers?limit=2',
    status: 200,
  },
  {
    title: 'List events',
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events?limit=3',
    status: 200,
    saves: 'EVENT',
  },
  { title: 'Read an event', operationId: 'getEvent', method: 'GET', path: '/v1/events/$EVENT', status: 200 },
  {
    title: 'List approvals',
    operationId: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    status: 200,
    saves: 'APPROVAL',
  },
  {
    title: 'Read an approval',
    operationId: 'getApproval',
    method: 'GET',
    path: '/v1/approvals/$APPROVAL',
    status: 200,
  },
  {
    title: 'List journal lines',
    operationId: 'listLedgerEntries',
    method: 'GET',
    path: '/v1/ledger/entries?transferId=$TRANSFER',
    status: 200,
  },
  ...['treasury', 'compliance', 'policy', 'assets', 'evidence-exports'].map(
    (area): Call => ({
      title: `Not published: ${area}`,
      operationId: `get${area.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
      method: 'GET',
      path: `/v1/${area}`,
      status: 501,
    }),
  ),
  {
    title: 'Error: a field is not valid',
    method: 'POST',
    path: '/v1/wallets',
    body: { owner: 'ada', currency: 'KES' },
    status: 422,
  },
  { title: 'Error: no such resource', method: 'GET', path: '/v1/transfers/tr_none', status: 404 },
]
