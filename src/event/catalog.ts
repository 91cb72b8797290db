import * as z from 'zod'

const identifier = z.string().min(1)
const text = z.string().optional()

/** This payload is published, so it is enforced: other data is `invalid_data`. */
const transferSettled = z.looseObject({
  transferId: identifier,
  status: z.literal('settled'),
  rail: z.string(),
  ledgerState: z.literal('matched'),
})

const transferFailed = z.looseObject({
  transferId: identifier,
  status: text,
  rail: text,
  ledgerState: text,
  failureCode: text,
  failureReason: text,
})

const ledgerMatched = z.looseObject({ transferId: identifier, ledgerState: text, journalEntryId: text })

const approvalUpdated = z.looseObject({ approvalId: identifier, transferId: text, status: text })

/** The events of the service interface, and whether their payload is published there. */
export const catalog = {
  'transfer.settled': { schema: transferSettled, published: true },
  'transfer.failed': { schema: transferFailed, published: false },
  'ledger.matched': { schema: ledgerMatched, published: false },
  'approval.updated': { schema: approvalUpdated, published: false },
} as const

/** `transfer.settled`: a transfer has settled. */
export interface TransferSettled {
  transferId: string
  status: 'settled'
  rail: string
  ledgerState: 'matched'
}

/**
 * `transfer.failed`: a transfer movement failed. The interface does not publish this payload. Data that differs from this
 * type is delivered with a warning. Pass your own schema to enforce it.
 */
export interface TransferFailed {
  transferId: string
  status?: string
  rail?: string
  ledgerState?: string
  failureCode?: string
  failureReason?: string
}

/** `ledger.matched`: reconciliation matched. Unpublished, like {@link TransferFailed}. */
export interface LedgerMatched {
  transferId: string
  ledgerState?: string
  journalEntryId?: string
}

/** `approval.updated`: an approval changed. Unpublished, like {@link TransferFailed}. */
export interface ApprovalUpdated {
  approvalId: string
  transferId?: string
  status?: string
}

/** The data of every event of the service interface. Senders may send other types too. */
export interface KnownEvents {
  'transfer.settled': TransferSettled
  'transfer.failed': TransferFailed
  'ledger.matched': LedgerMatched
  'approval.updated': ApprovalUpdated
}
