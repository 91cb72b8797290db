import type { Context } from '../context.js'
import type { Database } from '../database/open.js'
import { newestFirst, type Page } from '../database/page.js'
import { emitApproval } from './emissions.js'
import { Refusal } from './refusal.js'

export type Decision = 'approved' | 'rejected'

export interface ApprovalRow {
  readonly seq: number
  readonly id: string
  readonly transfer_id: string
  readonly status: 'pending' | Decision
  readonly created_at: number
  readonly updated_at: number
}

/** Opens the approval of a transfer. Call it in a transaction. */
export function askForApproval(context: Context, transferId: string): void {
  const { database, clock, ids } = context
  const id = ids.next('apr')
  const now = clock.now()
  database
    .prepare(
      `INSERT INTO approvals (id, transfer_id, status, created_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`,
    )
    .run(id, transferId, now, now)
  emitApproval(context, findApproval(database, id))
}

/** Records the decision on a transfer, if one was asked for. Call it in the transaction that moves the transfer. */
export function decideApproval(context: Context, transferId: string, decision: Decision): void {
  const { database, clock } = context
  database
    .prepare('UPDATE approvals SET status = ?, updated_at = ? WHERE transfer_id = ?')
    .run(decision, clock.now(), transferId)
  const row = database.prepare('SELECT * FROM approvals WHERE transfer_id = ?').get(transferId)
  if (row) {
    emitApproval(context, row as ApprovalRow)
  }
}

/** Throws `Refusal` `not_found`. */
export function findApproval(database: Database, id: string): ApprovalRow {
  const row = database.prepare('SELECT * FROM approvals WHERE id = ?').get(id)
  if (row) {
    return row as ApprovalRow
  }
  throw new Refusal('not_found', `There is no approval ${id}.`)
}

/** Approvals, the newest first. */
export const listApprovals = (database: Database, page: Page): ApprovalRow[] =>
  newestFirst<ApprovalRow>(database, 'approvals', page)
