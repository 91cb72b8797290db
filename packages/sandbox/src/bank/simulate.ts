import type { Context } from '../context.js'
import { type ApprovalRow, type Decision, findApproval } from './approvals.js'
import { approve, ask, fail, process, reject, settle } from './moves.js'
import { findRail, rails, type TransferFailure } from './rails.js'
import { Refusal } from './refusal.js'
import type { TransferState } from './states.js'
import { findTransfer, type TransferRow } from './transfers.js'

/**
 * Moves a transfer by hand. It keeps this state until it is moved again. Call it in a transaction.
 * Throws `Refusal` (`not_found`, `impossible_transition`).
 */
export function simulate(
  context: Context,
  transferId: string,
  to: TransferState,
  failureCode?: string,
): TransferRow {
  const { database } = context
  const transfer = findTransfer(database, transferId)
  moves[to](context, transfer, failureCode)
  database
    .prepare(
      `UPDATE transfers SET next_step = NULL, due_at = NULL WHERE id = ? AND next_step IS NOT 'correct'`,
    )
    .run(transferId)
  return findTransfer(database, transferId)
}

type Move = (context: Context, transfer: TransferRow, failureCode?: string) => void

const moves: Readonly<Record<TransferState, Move>> = {
  pending() {
    throw new Refusal('impossible_transition', 'No transfer goes back to pending.', 'to')
  },
  pending_approval: ask,
  processing(context, transfer) {
    if (transfer.status === 'pending_approval') {
      approve(context, transfer)
    } else {
      process(context, transfer)
    }
  },
  settled: settle,
  failed(context, transfer, failureCode) {
    fail(context, transfer, failureOf(transfer, failureCode))
  },
  rejected: reject,
}

function failureOf(transfer: TransferRow, failureCode: string | undefined): TransferFailure {
  if (failureCode === undefined) {
    return findRail(transfer.rail)?.failure ?? simulated
  }
  const known = rails.find(({ failure }) => failure?.failureCode === failureCode)?.failure
  return known ?? { ...simulated, failureCode }
}

const simulated: TransferFailure = {
  failureCode: 'simulated',
  failureReason: 'A person made this transfer fail.',
}

/**
 * Approves or rejects an approval; the transfer continues or ends. Call it in a transaction.
 * Throws `Refusal` (`not_found`, `approval_decided`).
 */
export function decide(context: Context, approvalId: string, decision: Decision): ApprovalRow {
  const { database } = context
  const approval = findApproval(database, approvalId)
  if (approval.status !== 'pending') {
    throw new Refusal('approval_decided', `The approval ${approvalId} was ${approval.status} before.`)
  }
  const transfer = findTransfer(database, approval.transfer_id)
  if (decision === 'approved') {
    approve(context, transfer)
  } else {
    reject(context, transfer)
  }
  return findApproval(database, approvalId)
}
