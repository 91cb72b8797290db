import type { EventsOf, Handler, Handlers } from '../dispatch/handlers.js'
import type { WebhookEvent } from '../event/event.js'
import type { InexactNumbers } from '../event/parse.js'
import type { Schemas } from '../event/schema.js'
import type { Queue } from '../queue/queue.js'
import type { Logger } from '../report/log.js'
import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import type { SignatureScheme } from '../signature/scheme.js'
import type { Secrets } from '../signature/secrets.js'
import type { Store } from '../store/store.js'

/** What a receiver and a middleware have in common. Durations are in seconds. */
export interface CommonOptions<Tx = unknown, S extends Schemas = Schemas> {
  /**
   * The endpoint’s signing secret; several while they rotate; or a function that loads them for a request, whose
   * headers are not verified yet. Required.
   */
  readonly secret: Secrets | ((request: ReceiveRequest) => Secrets | Promise<Secrets>)
  /** Where it is remembered which events are done. Required: there is no silent default in memory. */
  readonly store: Store<Tx>
  /** Sets endpoints that share a store apart: the same event id at another endpoint is another event. Default `'default'`. */
  readonly endpoint?: string
  /** Which bytes are signed and how. Default: `t` + `.` + body, in hex. */
  readonly scheme?: SignatureScheme
  /** How far the signed timestamp may lie from the clock, before or after, inclusive. Default 300 s. */
  readonly toleranceSeconds?: number
  /** Schemas of `data` by event type (Standard Schema: zod, valibot, arktype ...). What does not fit is `invalid_data`. */
  readonly schemas?: S
  /** The environments whose events are accepted. An event that names none is accepted. Default: all. */
  readonly environments?: readonly string[]
  /** Refuses a delivery without the Service-Event-Id header. Default false: the signed body carries the id. */
  readonly requireEventIdHeader?: boolean
  /** What to do with a number that a double cannot hold. Default `'refuse'` (`invalid_data`). */
  readonly inexactNumbers?: InexactNumbers
  /** The largest body that is read, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** How long the body may take to arrive, in seconds. Then the delivery is answered 408 `body_timeout`. Default 10 s. */
  readonly bodyTimeoutSeconds?: number
  /** How long a delivery may take, from its last byte, before it is answered 503. Default 10 s. */
  readonly handlerTimeoutSeconds?: number
  /** How long a claim lasts when its process dies; extended while a handler is within its budget. Default 60 s. */
  readonly leaseSeconds?: number
  /** How long a done event is remembered; at least 30 days, to outlive retries and resends. Default 90 days. */
  readonly retentionSeconds?: number
  /** The clock that freshness is judged by, in unix seconds. Default: the system clock. For tests. */
  readonly now?: () => number
  /** Told of every delivery, after the answer is decided. What it throws is logged and changes nothing. */
  readonly onResult?: (result: ReceiveResult) => void
  /** Where guarantees, misconfigurations and failures are written. Default `console`; `false` for silence. */
  readonly logger?: Logger | false
}

/** The options of `createReceiver`. */
export interface ReceiverOptions<Events extends object, S extends Schemas, Tx> extends CommonOptions<Tx, S> {
  /** What to do, by event type. May be left out where `fallback` is given. */
  readonly handlers?: Handlers<EventsOf<Events, S>, Tx>
  /** For every type without a handler. Without it such events are acknowledged as `ignored`. */
  readonly fallback?: Handler<string, unknown, Tx>
  /**
   * Makes the receiver a durable inbox: the answer is `accepted` once the event is committed, and handlers run from the
   * queue. Needs a store that keeps bodies. Default: handlers run before the answer.
   */
  readonly queue?: Queue<NoInfer<Tx>>
  /**
   * What an event is about, such as its transfer. With it a queue, whichever it is and however many workers it has, runs
   * the events of one resource one at a time, in the order in which they were accepted. One that fails holds back every
   * later one of its resource (head-of-line blocking) until it is done or dead: with the default of 20 attempts for
   * about six hours. Other resources go on, and so do events for which this returns `undefined`. Default: none waits.
   *
   * Accepted is not sent: deliveries overtake each other, and of two that are accepted at the same moment either may be
   * the first. Where the order of what happened matters, use `ordered`. What is replayed takes its old place: it goes
   * before whatever was accepted after it and is not done yet.
   */
  readonly resource?: (event: WebhookEvent) => string | undefined
}
