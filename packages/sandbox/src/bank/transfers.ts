import type { Context } from '../context.js'
import type { Database } from '../database/open.js'
import { newestFirst, type Page } from '../database/page.js'
import type { Product } from '../options/options.js'
import { toDecimal } from './money.js'
import { type Rail, railsOf } from './rails.js'
import { Refusal } from './refusal.js'
import type { LedgerState, TransferState } from './states.js'
import { balanceOf, findWallet } from './wallets.js'

/** The next step of a transfer, at its `due_at`. */
export type Step = 'ask' | 'process' | 'finish' | 'correct'

export interface TransferRow {
  readonly seq: number
  readonly id: string
  readonly status: TransferState
  readonly ledger_state: LedgerState
  readonly rail: string
  readonly source: string
  /** A wallet in shape B; in shape A the destination as JSON. */
  readonly destination: string
  readonly shape: 'A' | 'B'
  readonly minor: number
  readonly currency: string
  /** JSON. */
  readonly metadata: string
  /** JSON of a `TransferFailure`. */
  readonly failure: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly next_step: Step | null
  readonly due_at: number | null
}

export interface NewTransfer {
  readonly source: string
  /** A wallet, or a destination outside. */
  readonly destination: string | { readonly type: string; readonly network: string }
  readonly minor: number
  readonly currency: string
  /** Shape B. In shape A the network is the rail. */
  readonly rail?: string
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Reserves the amount and plans the next step. Call it in a transaction. Throws `Refusal`. */
export function createTransfer(context: Context, request: NewTransfer): TransferRow {
  const { database, clock, ids } = context
  const rail = railOf(request, context.options.product)
  checkWallets(database, request)
  const { posted, reserved } = balanceOf(database, request.source)
  if (posted - reserved < request.minor) {
    const available = toDecimal(posted - reserved)
    throw new Refusal(
      'insufficient_funds',
      `The wallet has ${available} ${request.currency} available.`,
      'amount',
    )
  }
  const isShapeB = typeof request.destination === 'string'
  const id = ids.next('tr')
  const now = clock.now()
  database
    .prepare(
      `INSERT INTO transfers (id, status, ledger_state, rail, source, destination, shape, minor, currency, metadata,
         created_at, updated_at, next_step, due_at)
       VALUES (?, 'pending', 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      rail.id,
      request.source,
      isShapeB ? (request.destination as string) : JSON.stringify(request.destination),
      isShapeB ? 'B' : 'A',
      request.minor,
      request.currency,
      JSON.stringify(request.metadata ?? {}),
      now,
      now,
      firstStep(rail),
      rail.isStuck ? null : now + Math.floor((context.options.settleAfterSeconds * 1000) / 2),
    )
  return findTransfer(database, id)
}

function firstStep(rail: Rail): Step | null {
  if (rail.isStuck) {
    return null
  }
  return rail.needsApproval ? 'ask' : 'process'
}

function railOf({ destination, rail: given }: NewTransfer, product: Product): Rail {
  const known = railsOf(product)
  if (typeof destination === 'string') {
    const rail = known.find(({ id }) => id === given)
    if (!rail) {
      const detail = `The product ${product} has no rail ${given}. GET /_sandbox/seeds lists them.`
      throw new Refusal('unknown_rail', detail, 'rail')
    }
    return rail
  }
  if (destination.type !== 'mobile_money') {
    const detail = 'The sandbox knows the destination type mobile_money alone.'
    throw new Refusal('unknown_destination_type', detail, 'destination.type')
  }
  const network = known.find(({ id }) => id === destination.network)
  if (network) {
    return network
  }
  const detail = `The product ${product} has no network ${destination.network}. GET /_sandbox/seeds lists them.`
  throw new Refusal('unknown_network', detail, 'destination.network')
}

function checkWallets(database: Database, { source, destination, currency }: NewTransfer): void {
  checkWallet(database, 'source', source, currency)
  if (typeof destination !== 'string') {
    return
  }
  if (destination === source) {
    throw new Refusal('same_wallet', 'The destination is the source.', 'destination')
  }
  checkWallet(database, 'destination', destination, currency)
}

function checkWallet(database: Database, param: string, id: string, currency: string): void {
  const wallet = findWallet(database, id)
  if (!wallet) {
    throw new Refusal('wallet_not_found', `There is no wallet ${id}.`, param)
  }
  if (wallet.currency === currency) {
    return
  }
  throw new Refusal('currency_mismatch', `The wallet ${id} is in ${wallet.currency}.`, 'currency')
}

/** Throws `Refusal` `not_found`. */
export function findTransfer(database: Database, id: string): TransferRow {
  const row = database.prepare('SELECT * FROM transfers WHERE id = ?').get(id)
  if (row) {
    return row as TransferRow
  }
  throw new Refusal('not_found', `There is no transfer ${id}.`)
}

/** Transfers, the newest first. */
export const listTransfers = (database: Database, page: Page): TransferRow[] =>
  newestFirst<TransferRow>(database, 'transfers', page)
