import type { AnyHandler } from './dispatch/handlers.js'
import { ConfigurationError, StoreError } from './errors.js'
import type { Schemas } from './event/schema.js'
import { type Operations, operations } from './operations.js'
import { resolveOptions } from './options/resolve.js'
import type { Pipeline, Settings } from './options/settings.js'
import type { CommonOptions, ReceiverOptions } from './options/types.js'
import { receive as runPipeline } from './pipeline.js'
import { describeGuarantee } from './report/guarantee.js'
import { resultLog } from './report/log.js'
import type { ReceiveRequest } from './request.js'
import type { ReceiveResult } from './result.js'
import type { StoreGuarantee } from './store/store.js'
import { Deadline } from './timing/deadline.js'
import { UnderWay } from './timing/under-way.js'
import { queueWorker } from './worker.js'

/** What a service mounts: made by {@link createReceiver}, carried to a framework by an adapter. */
export interface Receiver extends Operations {
  /**
   * Receives one delivery and resolves to its answer, whatever the request is. Rejects only where the program itself
   * is wrong, as when `body` is not bytes (`ConfigurationError` `body_not_bytes`).
   */
  receive(request: ReceiveRequest): Promise<ReceiveResult>
  /**
   * Checks the store, logs the guarantee, and starts to run what the queue holds unless `consume` is false. Rejects with
   * `ConfigurationError` where the store cannot keep its promise (`store_evicts`, `store_volatile`,
   * `store_unsupported`), with the store’s own error where it cannot be reached. Without it the check happens before
   * the first event is acted on, and nothing is run from the queue.
   */
  start(options?: { readonly consume?: boolean }): Promise<void>
  /**
   * Stops taking jobs, waits for deliveries and handlers under way, those that were answered `handler_timeout` included,
   * and releases what the queue has opened. Stop the server first. Waits for `drainSeconds` at the longest, twice
   * `handlerTimeoutSeconds` by default: a claim that is still held then ends with its lease.
   */
  stop(options?: { readonly drainSeconds?: number }): Promise<void>
  /** The guarantee in plain words, as far as the store has been asked: complete once `start()` has resolved. */
  describe(): string
}

/** What a program does with a receiver, or with a middleware, when it starts and when it ends. */
export type Lifespan = Pick<Receiver, 'start' | 'stop' | 'describe'>

/** A receiver whose work is done by the route that a middleware stands before. */
export interface Gate extends Lifespan {
  receive(request: ReceiveRequest, route: AnyHandler): Promise<ReceiveResult>
}

/** The options of the middleware form. */
export type GateOptions<S extends Schemas = Schemas> = CommonOptions<unknown, S>

/**
 * Builds a receiver. Throws `ConfigurationError` (`unknown_option`, `invalid_option`, `invalid_secret`,
 * `invalid_store`).
 *
 * `Events` maps event types of your own to their data, beside those of the interface; it may be an interface. Naming it
 * ends the inference of the other two: `createReceiver<MyEvents, {}, Client>` says what the store’s transaction is.
 */
export function createReceiver<
  Events extends object = object,
  S extends Schemas = object & Schemas,
  Tx = unknown,
>(options: ReceiverOptions<Events, S, Tx>): Receiver {
  return assemble(resolveOptions(options, false))
}

/** Builds what a middleware stands on. Throws as {@link createReceiver} does. */
export function createGate(options: GateOptions): Gate {
  return assemble(resolveOptions(options, true))
}

function assemble(settings: Settings): Gate & Receiver {
  const { store, queue, logger } = settings
  const readiness = storeReadiness(settings)
  /** Deliveries that are not answered yet, and work that goes on after the answer of its delivery. */
  const underWay = new UnderWay()
  const pipeline: Pipeline = { ...settings, ready: readiness.ready, track }
  const report = reporter(settings)
  let consuming: Promise<() => Promise<void>> | undefined

  function track(work: Promise<unknown>): void {
    underWay.begin()
    const end = () => underWay.end()
    work.then(end, end)
  }

  const describe = () => describeGuarantee(readiness.guarantee(), queue)

  return {
    ...operations(settings),

    async receive(request: ReceiveRequest, route?: AnyHandler) {
      underWay.begin()
      try {
        const result = await runPipeline(pipeline, request, route)
        report(result)
        return result
      } finally {
        underWay.end()
      }
    },

    async start({ consume = true } = {}) {
      await readiness.ready()
      if (logger) logger.info(`webhook-inbox: ${describe()}`)
      if (!consume || !queue || !store.inbox) return
      consuming ??= queue.consume(queueWorker(pipeline, store.inbox, report), store.inbox)
      try {
        await consuming
      } catch (error) {
        consuming = undefined
        throw error
      }
    },

    async stop({ drainSeconds = 2 * settings.handlerTimeoutSeconds } = {}) {
      const consumer = consuming
      consuming = undefined
      async function drain(): Promise<void> {
        const end = await consumer?.catch(() => undefined)
        await end?.()
        await underWay.none()
      }
      // A handler that never settles must not keep its process from ending.
      await new Deadline(drainSeconds).race(drain(), () => {})
      await queue?.close?.()
    },

    describe,
  }
}

/** Asks the store until it has answered once. A misconfiguration is an answer, an outage is not. */
function storeReadiness({ store, handlerTimeoutSeconds }: Settings) {
  let guarantee: StoreGuarantee | undefined
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    try {
      // A check that never settles must not stand before every event for ever.
      guarantee = await new Deadline(handlerTimeoutSeconds).race(store.check(), () => undefined)
      if (!guarantee) throw new StoreError(`check() did not settle within ${handlerTimeoutSeconds} s`)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) checking = undefined
      throw error
    }
  }

  return {
    guarantee: () => guarantee,
    ready(): Promise<void> | undefined {
      if (guarantee) return undefined
      checking ??= check()
      return checking
    },
  }
}

/** Tells the log and `onResult` of a result; nothing that they throw, now or later, changes the answer. */
function reporter({ logger, onResult }: Settings): (result: ReceiveResult) => void {
  const log = resultLog(logger)

  function complain(what: string, error: unknown): void {
    try {
      if (logger) logger.error(`webhook-inbox: ${what} threw`, error)
    } catch {
      // A logger that cannot even say so has nobody left to tell.
    }
  }

  function attempt(what: string, tell: (result: ReceiveResult) => unknown, result: ReceiveResult): void {
    try {
      // A promise where an async function was given: what it rejects with must not end the process.
      const told = tell(result)
      if (told) Promise.resolve(told).catch((error: unknown) => complain(what, error))
    } catch (error) {
      complain(what, error)
    }
  }

  return (result) => {
    attempt('the logger', log, result)
    if (onResult) attempt('onResult', onResult, result)
  }
}
