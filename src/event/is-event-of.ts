import type { KnownEvents } from './catalog.js'
import type { WebhookEvent } from './event.js'

/** An event of a type of the service interface. `switch (event.type)` narrows its data. */
export type KnownEvent<Type extends keyof KnownEvents = keyof KnownEvents> = Type extends keyof KnownEvents
  ? WebhookEvent<Type, KnownEvents[Type]>
  : never

/**
 * Whether an event has one of these types, and so their data. For a `fallback`, `resource` or a middleware, which get every type.
 * TypeScript cannot narrow such an event by its `type` alone. Does not validate the data.
 *
 * @example
 * const resource = (event: WebhookEvent) =>
 *   isEventOf(event, 'transfer.settled', 'transfer.failed') ? event.data.transferId : undefined
 */
export function isEventOf<Type extends keyof KnownEvents>(
  event: WebhookEvent,
  ...types: readonly Type[]
): event is KnownEvent<Type> {
  return (types as readonly string[]).includes(event.type)
}
