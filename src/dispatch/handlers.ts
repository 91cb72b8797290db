import type { KnownEvents } from '../event/catalog.js'
import type { WebhookEvent } from '../event/event.js'
import type { InferSchemas } from '../event/standard-schema.js'

/** The second argument of a handler. */
export interface HandlerContext<Tx = unknown> {
  /**
   * Aborts when the handler exceeds its time, or has lost its claim. Pass it to slow calls. It is a getter, so the copy
   * `{ ...context }` does not include it: add `signal: context.signal`.
   */
  readonly signal: AbortSignal
  /** 1 for the first attempt to process this event. */
  readonly attempt: number
  /**
   * The transaction of the store. Writes through it commit together with the done mark. `undefined` if the store has
   * none.
   */
  readonly tx: Tx
  /** Unusual but valid parts of the event. */
  readonly warnings: readonly string[]
  /** Adds a warning for the log and `onResult`. Never pass a secret or a part of the body. */
  warn(warning: string): void
}

/**
 * Processes one event. It may run again if it rejects, if it runs longer than its lease, or if the process dies before
 * the event is marked as done. `describe()` says what your store guarantees.
 */
export type Handler<Type extends string = string, Data = unknown, Tx = unknown> = (
  event: WebhookEvent<Type, Data>,
  context: HandlerContext<Tx>,
) => unknown

/**
 * The events of the interface, with the types of the user’s map and schemas. A user’s type replaces one of the
 * interface.
 */
export type EventsOf<Events extends object, Schemas> = Merge<
  Merge<KnownEvents, Events>,
  // Without schemas, their index signature would replace the names of all other events.
  string extends keyof Schemas ? object : InferSchemas<Schemas>
>

type Merge<Base, Over> = Omit<Base, keyof Over> & Over

/** Handlers by event type. A misspelled type does not compile, unless the map has an index signature. */
export type Handlers<Events extends object, Tx = unknown> = string extends keyof Events
  ? { readonly [type: string]: Handler<string, Events[string & keyof Events], Tx> }
  : { readonly [Type in keyof Events & string]?: Handler<Type, Events[Type], Tx> }

export type AnyHandler = Handler<string, never, never>

/** The handler of a type, else the fallback. Reads own properties only, because `constructor` is a valid event type. */
export function findHandler(
  handlers: Readonly<Record<string, AnyHandler>> | undefined,
  fallback: AnyHandler | undefined,
  type: string,
): AnyHandler | undefined {
  const own = handlers && Object.hasOwn(handlers, type) ? handlers[type] : undefined
  return own ?? fallback
}
