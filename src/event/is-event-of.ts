import type { KnownEvents } from './catalog.js'
import type { WebhookEvent } from './event.js'

/** An event of a type of the service interface. `switch (event.type)` narrows its data. */
export type KnownEvent<Type extends keyof KnownEvents = keyof KnownEvents> = Type extends keyof KnownEvents
  ? WebhookEvent<Type, KnownEvents[Type]>
  : never

/** An event of one of these types, from your own map or from the service interface. */
export type EventOf<Events extends object, Type extends keyof (Events & KnownEvents)> = Type extends string
  ? WebhookEvent<Type, Type extends keyof Events ? Events[Type] : KnownEvents[Type & keyof KnownEvents]>
  : never

/** As {@link isEventOf}, for the types of an event map too. */
export type IsEventOf<Events extends object> = <Type extends keyof (Events & KnownEvents) & string>(
  event: WebhookEvent,
  ...types: readonly Type[]
) => event is EventOf<Events, Type>

/**
 * Whether an event has one of these types, and so their data. For a `fallback`, `resource` or a middleware, which get every type.
 * TypeScript cannot narrow such an event by its `type` alone. Does not validate the data.
 *
 * For types of your own, call it once with their map and without arguments: `const isMine = isEventOf<MyEvents>()`.
 *
 * @example
 * const resource = (event: WebhookEvent) =>
 *   isEventOf(event, 'transfer.settled', 'transfer.failed') ? event.data.transferId : undefined
 */
export function isEventOf<Events extends object>(): IsEventOf<Events>
export function isEventOf<Type extends keyof KnownEvents>(
  event: WebhookEvent,
  ...types: readonly Type[]
): event is KnownEvent<Type>
export function isEventOf(...given: readonly [event?: WebhookEvent, ...types: string[]]): unknown {
  const [event, ...types] = given
  // An event that is missing by mistake must not count as a call without arguments.
  return given.length === 0 ? isEventOf : types.includes((event as WebhookEvent).type)
}
