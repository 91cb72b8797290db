import type { KnownServiceEvent, ServiceEvent } from './event.js'

/** The event types that the interface names. There are more, and it does not list them. */
export const knownEventTypes = [
  'transfer.settled',
  'transfer.failed',
  'approval.updated',
  'ledger.matched',
] as const
export type KnownEventType = (typeof knownEventTypes)[number]

/**
 * Whether the interface names the type of an event. Afterwards `type` discriminates `data`, which it cannot do before,
 * since any other string may be a type too.
 */
export const isKnownEvent = (event: ServiceEvent): event is KnownServiceEvent =>
  (knownEventTypes as readonly string[]).includes(event.type)
