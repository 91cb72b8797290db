import * as z from 'zod'
import { ApprovalId, LedgerEntryId, TransferId } from './identifiers.js'
import { assumed, openSet } from './meta.js'

const status = openSet(['failed'], 'G22')
const failureCode = openSet(['insufficient_funds', 'recipient_rejected', 'network_unavailable'], 'G22')
const approvalStatus = openSet(['pending', 'approved', 'rejected'], 'G22')
const ledgerState = openSet(['pending', 'matched', 'exception'], 'G22')

/** Data of `transfer.settled`: published. */
export const TransferSettledData = z
  .looseObject({
    transferId: TransferId,
    status: z.literal('settled'),
    rail: z.string(),
    ledgerState: z.literal('matched'),
  })
  .meta({ id: 'TransferSettledData', description: 'A transfer has settled.' })

/** Data of `transfer.failed`: our assumption. */
export const TransferFailedData = z
  .looseObject({
    transferId: TransferId,
    status,
    rail: z.string(),
    ledgerState,
    failureCode,
    failureReason: z.string(),
  })
  .meta(assumed('G22', { id: 'TransferFailedData', description: 'A transfer movement failed.' }))

/** Data of `approval.updated`: our assumption. */
export const ApprovalUpdatedData = z
  .looseObject({ approvalId: ApprovalId, transferId: TransferId, status: approvalStatus })
  .meta(assumed('G22', { id: 'ApprovalUpdatedData', description: 'An approval changed.' }))

/** Data of `ledger.matched`: our assumption. */
export const LedgerMatchedData = z
  .looseObject({
    transferId: TransferId,
    ledgerState: z.literal('matched'),
    journalEntryId: LedgerEntryId,
  })
  .meta(assumed('G22', { id: 'LedgerMatchedData', description: 'Ledger reconciliation matched.' }))

/** The same in snake_case, key by key. */
export const TransferSettledSnakeCaseData = z
  .looseObject({
    transfer_id: TransferId,
    status: z.literal('settled'),
    rail: z.string(),
    ledger_state: z.literal('matched'),
  })
  .meta({ id: 'TransferSettledSnakeCaseData', description: 'A transfer has settled.' })

export const TransferFailedSnakeCaseData = z
  .looseObject({
    transfer_id: TransferId,
    status,
    rail: z.string(),
    ledger_state: ledgerState,
    failure_code: failureCode,
    failure_reason: z.string(),
  })
  .meta(assumed('G22', { id: 'TransferFailedSnakeCaseData', description: 'A transfer movement failed.' }))

export const ApprovalUpdatedSnakeCaseData = z
  .looseObject({ approval_id: ApprovalId, transfer_id: TransferId, status: approvalStatus })
  .meta(assumed('G22', { id: 'ApprovalUpdatedSnakeCaseData', description: 'An approval changed.' }))

export const LedgerMatchedSnakeCaseData = z
  .looseObject({
    transfer_id: TransferId,
    ledger_state: z.literal('matched'),
    journal_entry_id: LedgerEntryId,
  })
  .meta(assumed('G22', { id: 'LedgerMatchedSnakeCaseData', description: 'Ledger reconciliation matched.' }))
