import type { KnownServiceEvent, ServiceEvent } from './event.js'
import { knownEventTypes } from './known-event-types.js'

/**
 * Whether the interface names the type of an event. Afterwards `type` discriminates `data`, which it cannot do before,
 * since any other string may be a type too.
 */
export const isKnownEvent = (event: ServiceEvent): event is KnownServiceEvent =>
  (knownEventTypes as readonly string[]).includes(event?.type)
