import type { Context } from '../context.js'
import { askForApproval, decideApproval } from './approvals.js'
import { emitFailed, emitSettled } from './emissions.js'
import { outsideAccount, post } from './journal.js'
import { findRail, networkFailure, type TransferFailure } from './rails.js'
import { Refusal } from './refusal.js'
import { canMove, type LedgerState, type TransferState } from './states.js'
import { findTransfer, type Step, type TransferRow } from './transfers.js'

/** Each function here moves one transfer, with its journal lines and events. Call it in a transaction. */

/** How long `sim_contradict` waits before it emits the correct events. */
const correctionMilliseconds = 1000

/** pending -> pending_approval */
export function ask(context: Context, transfer: TransferRow): void {
  setState(context, transfer, { status: 'pending_approval' })
  askForApproval(context, transfer.id)
}

/** pending -> processing. Plans the end. */
export function process(context: Context, transfer: TransferRow): void {
  const after = findRail(transfer.rail)?.settlesAfterSeconds ?? context.options.settleAfterSeconds
  const dueAt = Math.max(context.clock.now(), transfer.created_at + after * 1000)
  setState(context, transfer, { status: 'processing', next: ['finish', Math.floor(dueAt)] })
}

/** pending_approval -> processing. Plans the end. */
export function approve(context: Context, transfer: TransferRow): void {
  const dueAt = context.clock.now() + context.options.settleAfterSeconds * 1000
  setState(context, transfer, { status: 'processing', next: ['finish', Math.floor(dueAt)] })
  decideApproval(context, transfer.id, 'approved')
}

/** pending_approval -> rejected, and the transitions that the option `transitions` adds. Releases the reservation. */
export function reject(context: Context, transfer: TransferRow): void {
  setState(context, transfer, { status: 'rejected' })
  decideApproval(context, transfer.id, 'rejected')
}

/** processing -> failed. Releases the reservation. */
export function fail(context: Context, transfer: TransferRow, failure: TransferFailure): void {
  setState(context, transfer, { status: 'failed', failure })
  emitFailed(context, transfer, failure)
}

/** processing -> settled. Writes the two journal lines. */
export function settle(context: Context, transfer: TransferRow): void {
  const { database, clock } = context
  const rail = findRail(transfer.rail)
  const ledgerState = rail?.ledgerState ?? 'matched'
  const correction: [Step, number] = ['correct', clock.now() + correctionMilliseconds]
  setState(context, transfer, {
    status: 'settled',
    ledgerState,
    ...(rail?.contradicts && { next: correction }),
  })
  const { id: transferId, source: from, minor, currency } = transfer
  const to =
    transfer.shape === 'B' ? transfer.destination : outsideAccount(database, transfer.rail, transfer.currency)
  const journalEntryId = post(context, { transferId, from, to, minor, currency })
  if (rail?.contradicts) {
    emitFailed(context, transfer, networkFailure)
  } else {
    emitTruth(context, transfer, ledgerState, journalEntryId)
  }
}

/** Emits the events that `settle` left out on `sim_contradict`. */
export function correct(context: Context, transfer: TransferRow): void {
  const { database } = context
  const line = database
    .prepare('SELECT id FROM journal WHERE transfer_id = ? AND minor > 0')
    .get(transfer.id) as { id: string }
  database.prepare('UPDATE transfers SET next_step = NULL, due_at = NULL WHERE id = ?').run(transfer.id)
  emitTruth(context, transfer, transfer.ledger_state, line.id)
}

function emitTruth(
  context: Context,
  transfer: TransferRow,
  ledgerState: LedgerState,
  journalEntryId: string,
): void {
  emitSettled(context, transfer, ledgerState === 'matched' ? journalEntryId : undefined)
}

interface NextState {
  readonly status: TransferState
  readonly ledgerState?: LedgerState
  readonly failure?: TransferFailure
  readonly next?: readonly [step: Step, dueAt: number]
}

/** Throws `Refusal` `impossible_transition`. */
function setState({ database, clock, options }: Context, transfer: TransferRow, to: NextState): void {
  // Reads the current state, because the row may have been read before another move.
  const { status, ledger_state } = findTransfer(database, transfer.id)
  if (!canMove(options.transitions, status, to.status)) {
    const detail = `The transfer ${transfer.id} cannot go from ${status} to ${to.status}.`
    throw new Refusal('impossible_transition', detail, 'to')
  }
  database
    .prepare(
      `UPDATE transfers SET status = ?, ledger_state = ?, failure = ?, updated_at = ?, next_step = ?, due_at = ?
       WHERE id = ?`,
    )
    .run(
      to.status,
      to.ledgerState ?? ledger_state,
      to.failure ? JSON.stringify(to.failure) : null,
      clock.now(),
      to.next?.[0] ?? null,
      to.next?.[1] ?? null,
      transfer.id,
    )
}
