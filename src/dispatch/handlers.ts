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
  /** The store’s transaction. Its writes and the mark “done” commit together. `undefined` if the store has none. */
  readonly tx: Tx
  /** Unusual but valid parts of the event. */
  readonly warnings: readonly string[]
  /** Adds a warning for the log and `onResult`. Never pass a secret or a part of the body. */
  warn(warning: string): void
}

/**
 * Processes one event. It may run again if it rejects, if it outlives its lease, or if its process dies before the event
 * is marked done. The guarantee of `describe()` says when.
 */
export type Handler<Type extends string = string, Data = unknown, Tx = unknown> = (
  event: WebhookEvent<Type, Data>,
  context: HandlerContext<Tx>,
) => unknown

/** The events of the interface. The user’s map and schemas add types and replace theirs. */
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
