import type { AnyHandler } from './dispatch/handlers.js'
import type { Schemas } from './event/standard-schema.js'
import { FlowGate } from './flow/flow-gate.js'
import { Background } from './lifespan/background.js'
import { Lifetime } from './lifespan/lifetime.js'
import { type Answering, liveness, type ReadinessOptions, readiness } from './lifespan/probes.js'
import { type SignalOptions, stopOnSignals } from './lifespan/stop-on-signals.js'
import { type Operations, operations } from './operations/operations.js'
import { resolveGate, resolveReceiver } from './options/resolve.js'
import type { Pipeline, Settings } from './options/settings.js'
import type { CommonOptions, ReceiverOptions } from './options/types.js'
import { receive as runPipeline } from './pipeline.js'
import { announce, describeGuarantee } from './report/guarantee.js'
import { reporter } from './report/result-log.js'
import { checkRequest, type ReceiveRequest } from './request.js'
import type { ReceiveResult } from './result.js'
import { readinessOf } from './store/readiness.js'
import { UnderWay } from './timing/under-way.js'

/** A receiver, which {@link createReceiver} builds. An adapter connects it to a framework. */
export interface Receiver extends Operations {
  /** The endpoint that it was built for. */
  readonly endpoint: string
  /** Whether its store keeps whole events, so that operators can look at them and act. */
  readonly hasInbox: boolean
  /** For how many seconds `undo` can restore what is discarded now. */
  readonly undoSeconds: number
  /**
   * Aborts when `stop()` is called, and on a signal before `before` runs. End open streams on it, so that the server can close.
   * After another `start()` it is a new signal.
   */
  readonly stopping: AbortSignal
  /**
   * Receives one delivery and resolves to its response. Never rejects because of a request. Rejects only for a
   * programming error, for example if `body` is not bytes (`ConfigurationError` `body_not_bytes`).
   */
  receive(request: ReceiveRequest): Promise<ReceiveResult>
  /**
   * Checks the store and the queue, and logs in one line what survives a crash. After that it prunes periodically. It also runs the events
   * of the queue unless `consume` is false. `announce: false` leaves out this line. First waits for a
   * `stop()` that still runs. In a command line that has loaded the receiver (the variable `WEBHOOK_INBOX_CLI`), it only checks. For `inbox migrate` it does nothing.
   *
   * Rejects with `ConfigurationError` when the store cannot keep its promise (`store_evicts`, `store_volatile`,
   * `store_unsupported`), or when the queue is not started (`queue_not_started`). Rejects with `StoreError` when one of
   * them cannot be reached. Rejects with the reason of `stopping`, an `AbortError`, if the receiver is stopped meanwhile, or if a
   * signal has stopped it. Without `start()` the store is checked before the first event, and the queue runs nothing.
   */
  start(options?: {
    readonly consume?: boolean | undefined
    readonly announce?: boolean | undefined
  }): Promise<void>
  /**
   * Stop the server first. Stops taking events from the queue. Waits for deliveries and handlers, including those that were
   * answered `handler_timeout`. Then closes what the queue has opened. Waits at most `drainSeconds`, by default twice
   * `handlerTimeoutSeconds`. After that the signal of each handler of the queue aborts. An event that is not
   * finished runs again when its claim ends. This does not count as an attempt. If `drainSeconds` is not a
   * number of zero or more, rejects with `ConfigurationError` `invalid_option` and stops nothing.
   */
  stop(options?: { readonly drainSeconds?: number | undefined }): Promise<void>
  /**
   * Stops on SIGTERM or SIGINT, once: `before`, then `stop()`, then `after`. `stop()` waits for `before` at most
   * `beforeSeconds`, by default 10. A second signal ends the process immediately.
   * Returns a function that removes the listeners. Does nothing if there is no process, as in a Worker. Throws
   * `ConfigurationError` (`invalid_option`, `unknown_option`).
   */
  stopOnSignals(options?: SignalOptions): () => void
  /**
   * For an adapter to mount in place of a receiver: answers 200 while store and queue can be reached, and 503 otherwise,
   * without a detail. Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
   *
   * @example
   * app.get('/ready', expressHandler(receiver.readiness()))
   */
  readiness(options?: ReadinessOptions): Answering
  /** For an adapter to mount in place of a receiver: answers 200 as long as the process runs. */
  liveness(): Answering
  /** Describes the guarantee as text. The text is complete after `start()` has resolved. */
  describe(): string
}

/** The methods for the start and the end of a program, of a receiver or a middleware. */
export type Lifespan = Pick<Receiver, 'start' | 'stop' | 'describe'>

/** A receiver for a middleware. The next route processes the event instead of a handler. */
export interface Gate extends Lifespan {
  receive(request: ReceiveRequest, route: AnyHandler): Promise<ReceiveResult>
}

/** The options of the middleware form. */
export type GateOptions<S extends Schemas = Schemas> = CommonOptions<unknown, S>

/**
 * Builds a receiver. Throws `ConfigurationError` (`unknown_option`, `invalid_option`, `invalid_secret`,
 * `invalid_store`).
 *
 * `Events` maps your own event types to their data, in addition to those of the service interface. If you pass it, also
 * pass the other type parameters, as in `createReceiver<MyEvents, {}, Client>`. `Client` is the type of the transaction.
 *
 * @example
 * const receiver = createReceiver({
 *   secret,
 *   store: memoryStore(),
 *   handlers: {
 *     async 'transfer.settled'({ data }) { await credit(data.transferId) },
 *   },
 * })
 * await receiver.start()
 */
export function createReceiver<
  Events extends object = object,
  S extends Schemas = object & Schemas,
  Tx = unknown,
>(options: ReceiverOptions<Events, S, Tx>): Receiver {
  return assemble(resolveReceiver(options))
}

/**
 * Builds the gate that a middleware uses: a receiver whose handler is the next route. Throws as {@link createReceiver}
 * does.
 *
 * @example
 * const gate = createGate({ secret, store })
 * const result = await gate.receive({ headers: request.headers, body }, async (event) => { await credit(event.id) })
 */
export function createGate(options: GateOptions): Gate {
  return assemble(resolveGate(options))
}

function assemble(settings: Settings): Gate & Receiver {
  const { store, queue, logger, telemetry, endpoint, undoSeconds } = settings
  const { ready, guarantee, check: checkStore } = readinessOf(store, settings.handlerTimeoutSeconds)
  /** Deliveries that are not answered yet, and work that continues after the response of its delivery. */
  const underWay = new UnderWay()
  const pipeline: Pipeline = { ...settings, ready, track: (work) => underWay.track(work) }
  const report = reporter(logger, settings)
  const flowOptions = {
    ...settings,
    trialSeconds: settings.handlerTimeoutSeconds,
    leaseSeconds: settings.durations.leaseSeconds,
  }
  const gate = new FlowGate(flowOptions, store.inbox?.flow, () => queue?.resumed?.())
  const background = new Background(pipeline, gate, report)
  const describe = () => describeGuarantee(guarantee(), settings)
  const announcement = () => announce(guarantee(), settings)
  const lifetime = new Lifetime(pipeline, { background, underWay, announcement, check })

  async function check(): Promise<void> {
    await checkStore()
    await queue?.check?.(endpoint)
  }

  const receiver: Gate & Receiver = {
    ...operations(settings, gate, () => background.wakeApplier()),
    endpoint,
    undoSeconds,
    hasInbox: store.inbox !== undefined,
    get stopping() {
      return lifetime.stopping
    },

    async receive(request: ReceiveRequest, route?: AnyHandler) {
      checkRequest(request)
      lifetime.noteDelivery()
      underWay.begin()
      try {
        const startedAt = performance.now()
        const result = await runPipeline(pipeline, request, route)
        if (result.outcome === 'accepted') {
          lifetime.noteAccepted()
        }
        report(result)
        telemetry.delivered(result, startedAt)
        return result
      } finally {
        underWay.end()
      }
    },

    start: (options = {}) => lifetime.start(options),
    stop: (options = {}) => lifetime.stop(options),
    stopOnSignals: (options = {}) =>
      stopOnSignals({ announce: () => lifetime.announceEnd(), stop: receiver.stop }, options, logger),
    readiness: (options = {}) => readiness(check, options, logger, () => lifetime.stopping.aborted),
    liveness,
    describe,
  }
  return receiver
}
