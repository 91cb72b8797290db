import type { EventsOf, Handler, Handlers } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { InexactNumbers } from '../event/parse.js'
import type { Schemas } from '../event/standard-schema.js'
import type { Limits } from '../flow/limiter.js'
import type { Queue } from '../queue/queue.js'
import type { Logger } from '../report/result-log.js'
import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import type { SignatureScheme } from '../signature/scheme.js'
import type { Secrets } from '../signature/secrets.js'
import type { BreakerRule } from '../store/flow-store.js'
import type { Store } from '../store/store.js'
import type { Telemetry } from '../telemetry/telemetry.js'

/** The options of a receiver and of a middleware. Durations are in seconds. */
export interface CommonOptions<Tx = unknown, S extends Schemas = Schemas> {
  /**
   * The signing secret of the endpoint, or several during a rotation. Or a function that loads them for a request; its
   * headers are not verified yet. Each secret has at least 16 bytes. At most 16 secrets. Required.
   */
  readonly secret: Secrets | ((request: ReceiveRequest) => Secrets | Promise<Secrets>)
  /** Stores which events were processed. There is no default, because a store in memory loses events. Required. */
  readonly store: Store<Tx>
  /**
   * Namespaces endpoints that share a store: the same event id at two endpoints means two events. If two receivers or
   * services share a store, give each its own. Otherwise the second one responds `duplicate`, and its handler never runs.
   * Default `'default'`.
   */
  readonly endpoint?: string | undefined
  /** Which bytes are signed, and how the signature and the key are encoded. Default: `t`, a dot and the body, in hex. */
  readonly scheme?: SignatureScheme | undefined
  /** The maximum difference between the signed timestamp and the clock, in both directions. Default 300 s. */
  readonly toleranceSeconds?: number | undefined
  /**
   * Allows a `toleranceSeconds` of more than a day. Without it such a value is rejected as a likely mistake. Default
   * false.
   */
  readonly allowLongTolerance?: boolean | undefined
  /**
   * Schemas of `data` by event type (Standard Schema: zod, valibot, arktype and others). Data that does not fit is
   * `invalid_data`. Default: the schemas of the published events.
   */
  readonly schemas?: S | undefined
  /** The environments whose events are accepted. Events without an environment are accepted too. Default: all. */
  readonly environments?: readonly string[] | undefined
  /** Rejects a delivery without the Service-Event-Id header. The signed body contains the id too. Default false. */
  readonly requireEventIdHeader?: boolean | undefined
  /**
   * What to do with a number that JavaScript cannot represent exactly: `'refuse'` the event as `invalid_data`, or
   * `'round'` it with a warning. A number beyond the range of JavaScript is always rejected. Default `'refuse'`.
   */
  readonly inexactNumbers?: InexactNumbers | undefined
  /** The largest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** How long the body may take to arrive, in seconds. After that the response is 408 `body_timeout`. Default 10 s. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * How long a delivery may take after its body has arrived, in seconds. After that the response is 503. Common values are 5 to 30.
   * With milliseconds by mistake, such as `10_000`, a slow handler gets almost three hours. Default 10 s.
   */
  readonly handlerTimeoutSeconds?: number | undefined
  /**
   * How long a claim lasts if its process dies, in seconds. While a handler runs within its time limit, its claim is extended.
   * Common values are 30 to 120. With milliseconds by mistake, such as `60_000`, an event can wait almost 17 hours after its process
   * was killed. Default 60 s.
   */
  readonly leaseSeconds?: number | undefined
  /**
   * How long the store keeps a done event. At least 30 days, because the sender may deliver an event again. Default 90
   * days.
   */
  readonly retentionSeconds?: number | undefined
  /**
   * How often the receiver calls `prune()`, in seconds, after `start()`. `prune()` deletes events that were done more than
   * `retentionSeconds` ago. With `false` the receiver deletes none: call `prune()` yourself. Default 3600 s.
   */
  readonly pruneEverySeconds?: number | false | undefined
  /**
   * How long `undo` can restore a discarded event or delivery, in seconds. With 0 it is deleted
   * immediately. Default 600 s.
   */
  readonly undoSeconds?: number | undefined
  /** The clock that decides whether a delivery is recent, in unix seconds. Default: the system clock. For tests. */
  readonly now?: (() => number) | undefined
  /**
   * Called for every result, after the response is decided. If it throws, the error is logged and the response does not
   * change.
   */
  readonly onResult?: ((result: ReceiveResult) => unknown) | undefined
  /**
   * Called for deliveries, runs, retries and the state of the inbox, for traces and metrics: `openTelemetry()`,
   * `diagnosticsChannel()`, or your own. If it throws, the error is logged once and nothing else changes. Default: none.
   */
  readonly telemetry?: Telemetry | undefined
  /**
   * Gets the log lines: the guarantee, warnings and failures. For example `console`, pino, winston or bunyan. `false`
   * logs nothing. Default `console`. A queue reports its own errors to its option `onError`.
   */
  readonly logger?: Logger | false | undefined
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<Events extends object, S extends Schemas, Tx> extends CommonOptions<Tx, S> {
  /** The handlers, by event type. Optional if there is a `fallback`. */
  readonly handlers?: Handlers<EventsOf<Events, S>, Tx> | undefined
  /** Runs for every type without a handler. Without it such events are acknowledged as `ignored`. */
  readonly fallback?: Handler<string, unknown, Tx> | undefined
  /**
   * Makes the receiver a durable inbox: the response is `accepted` once the event is committed, and handlers run from the
   * queue. Needs a store that keeps bodies. Default: handlers run before the response.
   */
  readonly queue?: Queue<NoInfer<Tx>> | undefined
  /**
   * The resource that an event is about, such as its transfer: a string of 1 to 512 UTF-16 code units, or `undefined` or
   * `null` for none. A queue runs the events of one resource one at a time, in the order in which they were accepted, with any
   * number of workers. A failed event blocks all later events of its resource until it is done or dead: about six hours
   * with the default of 20 attempts. Other resources, and events without one, continue. Default: no event waits for
   * another.
   *
   * The order of arrival can differ from the order of sending. Use `ordered` if a late event must not undo a later one. A
   * replayed event runs before the unfinished events of its resource that were accepted after it. If the function throws or
   * returns another value, the delivery fails as `handler_failed`. But if the data does not fit its schema, the event is kept as dead.
   */
  readonly resource?: ((event: WebhookEvent) => string | undefined | null) | undefined
  /**
   * Stops a type after this many failures in a row with the same cause, for `retryAfterSeconds`. Then one event runs as a
   * trial: if it succeeds, the type continues. Otherwise the type stops again. The store keeps this state for all
   * processes. Waiting does not count as an attempt. Default: a type never stops by itself.
   */
  readonly breaker?: BreakerRule | undefined
  /**
   * How many events of a type, or of each resource, run concurrently and start per second. Each process applies the limits
   * separately: three processes run three times as many. Waiting does not count as an attempt. Default: no limit.
   */
  readonly limits?: Limits | undefined
  /**
   * The priority of types, from -100 to 100. Types with a higher number run first. A type without a number has priority 0.
   * A type waits while events with a higher priority are due. `localQueue` makes one search for each priority. Default:
   * the oldest event first.
   */
  readonly priorities?: Readonly<Record<string, number>> | undefined
  /** How long a quarantined delivery is kept, in seconds. Default: `retentionSeconds`. */
  readonly quarantineRetentionSeconds?: number | undefined
  /**
   * The version of your program, such as a tag or the hash of a commit: 1 to 100 printable characters. `workers()`,
   * `versions()` and the console show it. Default: the version of this package.
   */
  readonly version?: string | undefined
}
