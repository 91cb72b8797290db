import type { Context } from '../context.js'
import type { StoredEvent } from '../delivery/events.js'
import { type NewEvent, recordEvent } from '../delivery/record-event.js'
import { findRail, type TransferFailure } from './rails.js'
import { findTransfer, type TransferRow } from './transfers.js'

/** Each function here commits events with the state change that they report. Call it in that transaction. */

/** Without `journalEntryId` the ledger did not match, and `ledger.matched` does not follow. */
export function emitSettled(context: Context, transfer: TransferRow, journalEntryId?: string): void {
  const { id: transferId, rail } = transfer
  // The interface publishes `matched` for this event, even if the record ends with an exception.
  const settled = emit(context, rail, {
    type: 'transfer.settled',
    data: { transferId, status: 'settled', rail, ledgerState: 'matched' },
  })
  if (journalEntryId === undefined) {
    return
  }
  emit(context, rail, {
    type: 'ledger.matched',
    data: { transferId, ledgerState: 'matched', journalEntryId },
    ...(settled && findRail(rail)?.delivery === 'reversed' && { before: settled.id }),
  })
}

export function emitFailed(context: Context, transfer: TransferRow, failure: TransferFailure): void {
  const { id: transferId, rail } = transfer
  const data = { transferId, status: 'failed', rail, ledgerState: 'pending', ...failure }
  emit(context, rail, { type: 'transfer.failed', data })
}

export function emitApproval(
  context: Context,
  approval: { readonly id: string; readonly transfer_id: string; readonly status: string },
): void {
  const { id: approvalId, transfer_id: transferId, status } = approval
  const { rail } = findTransfer(context.database, transferId)
  emit(context, rail, { type: 'approval.updated', data: { approvalId, transferId, status } })
}

const copiesOf = { never: 0, twice: 2, reversed: 1 } as const

/** `undefined` if the option `emissions` leaves the type out. */
function emit(context: Context, rail: string, event: NewEvent): StoredEvent | undefined {
  if (!context.options.emissions.some((type) => type === event.type)) {
    return undefined
  }
  const delivery = findRail(rail)?.delivery
  return recordEvent(context, { ...event, copies: delivery ? copiesOf[delivery] : 1 })
}
