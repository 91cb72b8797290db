export const transferStates = [
  'pending',
  'pending_approval',
  'processing',
  'settled',
  'failed',
  'rejected',
] as const
export type TransferState = (typeof transferStates)[number]

export type LedgerState = 'pending' | 'matched' | 'exception'

/** Every transition that exists. A state without one is final. */
const transitions: Readonly<Record<TransferState, readonly TransferState[]>> = {
  pending: ['pending_approval', 'processing'],
  pending_approval: ['processing', 'rejected'],
  processing: ['settled', 'failed'],
  settled: [],
  failed: [],
  rejected: [],
}

export function canMove(from: TransferState, to: TransferState): boolean {
  return transitions[from].includes(to)
}
