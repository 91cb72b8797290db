import type { EventsOf, Handler, Handlers } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { InexactNumbers } from '../event/parse.js'
import type { Schemas } from '../event/standard-schema.js'
import type { Queue } from '../queue/queue.js'
import type { Logger } from '../report/result-log.js'
import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import type { SignatureScheme } from '../signature/scheme.js'
import type { Secrets } from '../signature/secrets.js'
import type { Store } from '../store/store.js'
import type { Telemetry } from '../telemetry/telemetry.js'

/** The options of a receiver and of a middleware. Durations are in seconds. */
export interface CommonOptions<Tx = unknown, S extends Schemas = Schemas> {
  /**
   * The signing secret of the endpoint, or several during a rotation. A function loads them for a request, whose headers
   * are not verified yet. Each secret has at least 16 bytes, and there are at most 16. Required.
   */
  readonly secret: Secrets | ((request: ReceiveRequest) => Secrets | Promise<Secrets>)
  /** Stores which events were processed. No store is the default, because memory loses events. Required. */
  readonly store: Store<Tx>
  /** Namespaces endpoints that share a store: an event id at another endpoint is another event. Default `'default'`. */
  readonly endpoint?: string
  /** Which bytes are signed, and how signature and key are written. Default: `t`, a dot and the body, in hex. */
  readonly scheme?: SignatureScheme
  /** How far the signed timestamp may differ from the clock, before or after, inclusive. Default 300 s. */
  readonly toleranceSeconds?: number
  /** Allows a `toleranceSeconds` of more than a day, which is refused otherwise as a likely mistake. Default false. */
  readonly allowLongTolerance?: boolean
  /**
   * Schemas of `data` by event type (Standard Schema: zod, valibot, arktype and others). Data that does not fit is
   * `invalid_data`. Default: the schemas of the published events.
   */
  readonly schemas?: S
  /** The environments whose events are accepted. Events without an environment are accepted too. Default: all. */
  readonly environments?: readonly string[]
  /** Refuses a delivery without the Service-Event-Id header. The signed body contains the id too. Default false. */
  readonly requireEventIdHeader?: boolean
  /**
   * What to do with a number that JavaScript cannot represent exactly: `'refuse'` the event as `invalid_data`, or
   * `'round'` it with a warning. A number beyond the range of JavaScript is always refused. Default `'refuse'`.
   */
  readonly inexactNumbers?: InexactNumbers
  /** The largest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** How long the body may take to arrive, in seconds. Then the delivery is answered 408 `body_timeout`. Default 10 s. */
  readonly bodyTimeoutSeconds?: number
  /** How long a delivery may take after its body has arrived, before it is answered 503. Default 10 s. */
  readonly handlerTimeoutSeconds?: number
  /** How long a claim lasts when its process dies. It is extended while a handler is within its time. Default 60 s. */
  readonly leaseSeconds?: number
  /** How long a done event is remembered; at least 30 days, to outlive retries and resends. Default 90 days. */
  readonly retentionSeconds?: number
  /**
   * How often `start()` has the store delete what has outlived `retentionSeconds`, in seconds. `false`: never, call
   * `prune()` yourself. Default 3600 s.
   */
  readonly pruneEverySeconds?: number | false
  /** The clock that decides whether a delivery is recent, in unix seconds. Default: the system clock. For tests. */
  readonly now?: () => number
  /** Called for every result, after the answer is decided. What it throws is logged and changes nothing. */
  readonly onResult?: (result: ReceiveResult) => unknown
  /**
   * Gets told of deliveries, runs, retries and the state of the inbox, for traces and metrics: `openTelemetry()`,
   * `diagnosticsChannel()`, or your own. What it throws is logged once and changes nothing. Default: none.
   */
  readonly telemetry?: Telemetry
  /** Gets guarantees, mistakes and failures, one line each: `console`, pino, winston, bunyan. `false` logs nothing. Default `console`. */
  readonly logger?: Logger | false
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<Events extends object, S extends Schemas, Tx> extends CommonOptions<Tx, S> {
  /** What to do, by event type. May be left out when `fallback` is given. */
  readonly handlers?: Handlers<EventsOf<Events, S>, Tx>
  /** Runs for every type without a handler. Without it such events are acknowledged as `ignored`. */
  readonly fallback?: Handler<string, unknown, Tx>
  /**
   * Makes the receiver a durable inbox: the answer is `accepted` once the event is committed, and handlers run from the
   * queue. Needs a store that keeps bodies. Default: handlers run before the answer.
   */
  readonly queue?: Queue<NoInfer<Tx>>
  /**
   * The resource that an event is about, such as its transfer: a string of 1 to 512 characters, or `undefined` for none.
   * A queue runs the events of one resource one at a time, in the order in which they were accepted, with any number of
   * workers. A failed event holds back all later ones of its resource until it is done or dead: about six hours with the
   * default of 20 attempts. Other resources, and events without one, continue. Default: no event waits for another.
   *
   * Accepted order is not sent order: deliveries overtake each other. Use `ordered` when the order of what happened
   * matters. A replayed event runs before every event that was accepted after it and is not done yet. Anything else that
   * this returns, or throws, fails the delivery as `handler_failed`.
   */
  readonly resource?: (event: WebhookEvent) => string | undefined | null
}
