/** The event types that the interface names. There are more, and it does not list them. */
export const knownEventTypes = [
  'transfer.settled',
  'transfer.failed',
  'approval.updated',
  'ledger.matched',
] as const
export type KnownEventType = (typeof knownEventTypes)[number]
