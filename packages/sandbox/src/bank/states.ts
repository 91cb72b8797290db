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

/** The states that follow each state that is not final. */
export type Transitions = Readonly<
  Record<'pending' | 'pending_approval' | 'processing', readonly TransferState[]>
>

/** Our assumption (G8). A state without an entry is final. */
export const defaultTransitions: Transitions = {
  pending: ['pending_approval', 'processing'],
  pending_approval: ['processing', 'rejected'],
  processing: ['settled', 'failed'],
}

export function canMove(transitions: Transitions, from: TransferState, to: TransferState): boolean {
  return from in transitions && transitions[from as keyof Transitions].includes(to)
}

/** The transitions that the bank supports. No transfer leaves a final state, or needs a second approval. */
const possible: Transitions = {
  pending: ['pending_approval', 'processing', 'settled', 'failed', 'rejected'],
  pending_approval: ['processing', 'settled', 'failed', 'rejected'],
  processing: ['settled', 'failed', 'rejected'],
}

/** Some transitions. For the other states the default holds. */
export type GivenTransitions = { readonly [From in keyof Transitions]?: Transitions[From] | undefined }

/** True for an object with transitions that the bank supports. */
export function isTransitions(value: unknown): value is GivenTransitions {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([from, to]) =>
        Object.hasOwn(possible, from) &&
        (to === undefined ||
          (Array.isArray(to) && to.every((state) => canMove(possible, from as TransferState, state)))),
    )
  )
}
