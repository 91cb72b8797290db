import type { Context } from '../context.js'
import type { Database } from '../database/open.js'
import { newestFirst, type Page } from '../database/page.js'
import { openAccount } from './journal.js'

export interface WalletRow {
  readonly seq: number
  readonly id: string
  readonly owner: string
  readonly currency: string
  readonly created_at: number
}

/** The balances of a wallet, in minor units. */
export interface WalletBalance {
  /** The balance in the journal. */
  readonly posted: number
  /** The amount that unfinished transfers reserve. */
  readonly reserved: number
}

export interface NewWallet {
  readonly owner: string
  readonly currency: string
  /** Default: a new identifier. */
  readonly id?: string
}

/** Opens a wallet with no money. Call it in a transaction. */
export function createWallet({ database, clock, ids }: Context, wallet: NewWallet): WalletRow {
  const id = wallet.id ?? ids.next('wallet', wallet.currency.toLowerCase())
  openAccount(database, { id, currency: wallet.currency, isWallet: true })
  database
    .prepare('INSERT INTO wallets (id, owner, currency, created_at) VALUES (?, ?, ?, ?)')
    .run(id, wallet.owner, wallet.currency, clock.now())
  return findWallet(database, id) as WalletRow
}

export function findWallet(database: Database, id: string): WalletRow | undefined {
  return database.prepare('SELECT * FROM wallets WHERE id = ?').get(id) as WalletRow | undefined
}

/** Wallets, the newest first. */
export const listWallets = (database: Database, page: Page): WalletRow[] =>
  newestFirst<WalletRow>(database, 'wallets', page)

export function balanceOf(database: Database, walletId: string): WalletBalance {
  const { posted } = database.prepare('SELECT posted FROM accounts WHERE id = ?').get(walletId) as {
    posted: number
  }
  const { reserved } = database
    .prepare(
      `SELECT COALESCE(SUM(minor), 0) AS reserved FROM transfers
       WHERE source = ? AND status IN ('pending', 'pending_approval', 'processing')`,
    )
    .get(walletId) as { reserved: number }
  return { posted, reserved }
}
