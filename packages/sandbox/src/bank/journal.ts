import type { Context } from '../context.js'
import type { Database } from '../database/open.js'
import type { Page } from '../database/page.js'

export interface JournalRow {
  readonly seq: number
  readonly id: string
  /** `null` on an opening balance. */
  readonly transfer_id: string | null
  readonly account: string
  readonly minor: number
  readonly currency: string
  readonly created_at: number
}

interface Account {
  readonly id: string
  readonly currency: string
  readonly isWallet: boolean
}

interface Entry {
  readonly transferId: string | null
  readonly from: string
  readonly to: string
  readonly minor: number
  readonly currency: string
}

/** Opens an account with no money. Does not change an existing account. */
export function openAccount(database: Database, { id, currency, isWallet }: Account): void {
  database
    .prepare('INSERT INTO accounts (id, currency, is_wallet) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    .run(id, currency, isWallet ? 1 : 0)
}

/** The account of everything outside the wallets that a rail reaches. Its balance may be negative. */
export function outsideAccount(database: Database, name: string, currency: string): string {
  const id = `outside_${currency.toLowerCase()}_${name}`
  openAccount(database, { id, currency, isWallet: false })
  return id
}

/** Writes the two lines of a movement. Their sum is zero. Returns the identifier of the credit line. */
export function post({ database, clock, ids }: Context, entry: Entry): string {
  const insert = database.prepare(
    'INSERT INTO journal (id, transfer_id, account, minor, currency, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const { transferId, from, to, minor, currency } = entry
  const now = clock.now()
  insert.run(ids.next('je'), transferId, from, -minor, currency, now)
  const credit = ids.next('je')
  insert.run(credit, transferId, to, minor, currency, now)
  return credit
}

export interface JournalFilter {
  readonly account?: string | undefined
  readonly transferId?: string | undefined
}

/** Journal lines, the newest first. */
export function listJournal(
  database: Database,
  { limit, before = Number.MAX_SAFE_INTEGER }: Page,
  { account, transferId }: JournalFilter = {},
): JournalRow[] {
  return database
    .prepare(
      `SELECT * FROM journal WHERE seq < ? AND (? IS NULL OR account = ?) AND (? IS NULL OR transfer_id = ?)
       ORDER BY seq DESC LIMIT ?`,
    )
    .all(
      before,
      account ?? null,
      account ?? null,
      transferId ?? null,
      transferId ?? null,
      limit,
    ) as JournalRow[]
}
