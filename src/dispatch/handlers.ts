import type { KnownEvents } from '../event/catalog.js'
import type { WebhookEvent } from '../event/event.js'
import type { InferSchemas } from '../event/schema.js'

/** What a handler gets beside the event. */
export interface HandlerContext<Tx = unknown> {
  /**
   * Aborts when the handler is over its budget, or has lost its claim. Pass it on to whatever takes time. It is made when
   * it is read, so a copy of the context, as `{ ...context }`, is without it: add `signal: context.signal`.
   */
  readonly signal: AbortSignal
  /** 1 for the first time this event is worked on. */
  readonly attempt: number
  /** The store’s transaction: what is written through it and the mark “done” are one. `undefined` without one. */
  readonly tx: Tx
  /** What was odd about the event without being wrong. */
  readonly warnings: readonly string[]
  /** Adds to the warnings, for the log and `onResult`; never a secret or a part of the body. */
  warn(warning: string): void
}

/**
 * Acts on one event. It may run again when it rejects, when it outlives its lease, or when its process dies before the
 * event is marked done; the guarantee that `describe()` gives says when.
 */
export type Handler<Type extends string = string, Data = unknown, Tx = unknown> = (
  event: WebhookEvent<Type, Data>,
  context: HandlerContext<Tx>,
) => unknown

/** The interface’s events, overruled and extended by a user’s map and by schemas. */
export type EventsOf<Events extends object, Schemas> = Merge<
  Merge<KnownEvents, Events>,
  // Where no schemas are given, their index signature would swallow the names of all other events.
  string extends keyof Schemas ? object : InferSchemas<Schemas>
>

type Merge<Base, Over> = Omit<Base, keyof Over> & Over

/** Handlers by event type. A map with an index signature takes any type; otherwise a misspelt one does not compile. */
export type Handlers<Events extends object, Tx = unknown> = string extends keyof Events
  ? { readonly [type: string]: Handler<string, Events[string & keyof Events], Tx> }
  : { readonly [Type in keyof Events & string]?: Handler<Type, Events[Type], Tx> }

export type AnyHandler = Handler<string, never, never>

/** The handler of a type, else the fallback. By own property only: `constructor` is a valid event type. */
export function findHandler(
  handlers: Readonly<Record<string, AnyHandler>> | undefined,
  fallback: AnyHandler | undefined,
  type: string,
): AnyHandler | undefined {
  const own = handlers && Object.hasOwn(handlers, type) ? handlers[type] : undefined
  return own ?? fallback
}
