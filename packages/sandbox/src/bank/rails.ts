import type { Product } from '../options/options.js'

/** Why a transfer failed, in the form of its record and its event. */
export interface TransferFailure {
  readonly failureCode: string
  readonly failureReason: string
}

/** A simulated rail. In shape A, the network with the same identifier has the same effect. */
export interface Rail {
  readonly id: string
  /** What happens to a transfer on this rail, as text. */
  readonly summary: string
  /** The product lines that have it. Default: all, as for every simulated rail. */
  readonly products?: readonly Product[]
  /** All its transfers fail with this reason. */
  readonly failure?: TransferFailure
  /** Seconds from creation to settlement, in place of the option `settleAfterSeconds`. */
  readonly settlesAfterSeconds?: number
  /** Its transfers stay pending. */
  readonly isStuck?: true
  /** Its transfers wait for a decision. */
  readonly needsApproval?: true
  /** The ledger state of the record after settlement. Default `matched`. */
  readonly ledgerState?: 'exception'
  /** Emits `transfer.failed` at settlement, and the correct events one second later. */
  readonly contradicts?: true
  /** How its events are delivered. Default: each event once, in their order. */
  readonly delivery?: 'never' | 'twice' | 'reversed'
}

const failure = (failureCode: string, failureReason: string): TransferFailure => ({
  failureCode,
  failureReason,
})

export const networkFailure = failure('network_unavailable', 'The network did not confirm the payout.')

export const rails: readonly Rail[] = [
  { id: 'mobile_money', summary: 'Settles.', products: ['mobile_money', 'digital_banking'] },
  { id: 'bank_account', summary: 'Settles.', products: ['mobile_money', 'digital_banking'] },
  { id: 'card_network', summary: 'Settles.', products: ['digital_banking'] },
  { id: 'payout_network', summary: 'Settles.', products: ['digital_banking', 'stablecoins'] },
  { id: 'digital_asset', summary: 'Settles.', products: ['stablecoins'] },
  { id: 'sim_settle', summary: 'Settles.' },
  {
    id: 'sim_fail_funds',
    summary: 'Fails for lack of funds.',
    failure: failure('insufficient_funds', 'The source had no funds when the rail executed the transfer.'),
  },
  {
    id: 'sim_fail_recipient',
    summary: 'Fails because of the recipient.',
    failure: failure('recipient_rejected', 'The recipient cannot receive transfers.'),
  },
  { id: 'sim_fail_network', summary: 'Fails in the network.', failure: networkFailure },
  { id: 'sim_late', summary: 'Settles ten minutes later.', settlesAfterSeconds: 600 },
  { id: 'sim_stuck', summary: 'Stays pending.', isStuck: true },
  { id: 'sim_no_webhook', summary: 'Settles. Its events are never delivered.', delivery: 'never' },
  { id: 'sim_duplicate', summary: 'Settles. Each event is delivered twice concurrently.', delivery: 'twice' },
  {
    id: 'sim_reorder',
    summary: 'Settles. ledger.matched is delivered before transfer.settled.',
    delivery: 'reversed',
  },
  {
    id: 'sim_contradict',
    summary: 'Settles. transfer.failed is emitted first. The correct events follow one second later.',
    contradicts: true,
  },
  { id: 'sim_approval', summary: 'Waits for an approval.', needsApproval: true },
  {
    id: 'sim_exception',
    summary: 'Settles. The record ends with ledger state exception, and ledger.matched is not emitted.',
    ledgerState: 'exception',
  },
]

const byId = new Map(rails.map((rail) => [rail.id, rail]))

export function findRail(id: string): Rail | undefined {
  return byId.get(id)
}

/** The rails of a product line. */
export const railsOf = (product: Product): Rail[] =>
  rails.filter(({ products }) => products === undefined || products.includes(product))
