import type { WebhookEvent } from '../event/event.js'
import type { ReceiveResult } from '../result.js'
import type { InboxHealth } from '../store/inbox.js'

/**
 * What a receiver tells about its work, for a tracer, a metrics library or an error tracker. Every method is optional.
 * `openTelemetry` and `diagnosticsChannel` implement it. The laws:
 *
 * - Nothing that a method does, throws or returns changes a response. The first error of each method is logged.
 * - Each method is called in the async context of the work. Each returns immediately, because the work waits for it.
 * - A method is looked up for each report. Nothing is gathered for a method that is absent. So a getter may turn it off.
 * - `endpoint`, `type`, `outcome` and `code` have few different values, so they can be labels of a metric. Anything
 *   else is unbounded: ids, times, messages.
 * - `result` and `event` hold customers’ data. Send nothing of `event.data`, `event.raw` or `result.cause` anywhere that
 *   must not have it.
 */
export interface Telemetry {
  /** A delivery was answered. */
  delivered?(report: DeliveryReport): void
  /** An event of a delivery is about to be stored for a queue. */
  storing?(event: EventFacts): Storing | undefined
  /** An event is about to be claimed and run, for a delivery or by a worker of a queue. */
  running?(event: RunFacts): Observation<RunReport> | undefined
  /** A run that was not done within `handlerTimeoutSeconds` has succeeded since, and its event is done. */
  succeededLate?(report: LateSuccessReport): void
  /** A run failed, and its event is retried. */
  retried?(report: RetryReport): void
  /** A worker made an event dead: nothing runs it again until a replay. Not called for an event that a person gives up. */
  died?(report: DeathReport): void
  /**
   * Called by `start()` if the store has an inbox, for figures that are read from time to time. Each call of `health`
   * asks the store. The figures cover the whole store, so every process that shares it reads the same ones. `stop()`
   * calls the function that this returns.
   */
  watch?(health: () => Promise<InboxHealth>): (() => void) | undefined
  /** The ids of the active trace, which are added to each line of the log. */
  traceIds?(): TraceIds | undefined
}

/** An event, and the labels that it may have in a metric. */
export interface EventFacts {
  readonly endpoint: string
  /** At most 100 types without a handler of their own; every other one is `_OTHER`. */
  readonly type: string
  readonly event: WebhookEvent
  /** The `traceparent` header as the sender sent it. Nothing signs it: link to it, and never take it as a parent. */
  readonly senderTrace?: string | undefined
}

export interface RunFacts extends EventFacts {
  /** `delivery`: the handler runs before the response. `queue`: a worker runs it. */
  readonly source: ReceiveResult['source']
  /** What `storing` gave for this event, maybe in another process and days ago. */
  readonly traceContext?: string | undefined
}

/** Work that is observed from its begin to its end. */
export interface Observation<Report> {
  /** Calls `work` once and returns what it returns, so that the work has an async context of yours. */
  within?<T>(work: () => T): T
  end?(report: Report): void
}

export interface Storing extends Observation<StoringReport> {
  /** Kept beside the event, for the run that follows: at most 512 characters. */
  readonly traceContext?: string | undefined
}

export interface StoringReport {
  /** `accepted`: stored now. `duplicate` and `busy`: it was here. `failed`: the store rejected. */
  readonly state: 'accepted' | 'duplicate' | 'busy' | 'failed'
  /** What the store rejected with. */
  readonly cause?: unknown
}

export interface DeliveryReport {
  readonly endpoint: string
  /** Known once the signature holds and the body is read. See {@link EventFacts}. */
  readonly type?: string | undefined
  readonly result: ReceiveResult
  /** From the first header to the response. */
  readonly seconds: number
  /** From `createdAt` of the event to its receipt, by the clocks of sender and receiver; never negative. */
  readonly lagSeconds?: number | undefined
  /** Our clock less the time that was signed: positive if the sender’s clock is behind. */
  readonly clockSkewSeconds?: number | undefined
}

export interface RunReport {
  readonly result: ReceiveResult
  /** From the look at the store to the result. */
  readonly seconds: number
  /** 1 for the first attempt; absent if the handler did not run. */
  readonly attempt?: number | undefined
  /** How long the handler ran. */
  readonly handlerSeconds?: number | undefined
  /** How long the store took to mark the event done, or to note the failure. */
  readonly settleSeconds?: number | undefined
  /** The handler ran to its end, and its claim had passed to another holder. */
  readonly isClaimLost: boolean
  /** From `createdAt` to done; only if the event is done now. Never negative. */
  readonly lagSeconds?: number | undefined
}

export interface RetryReport {
  readonly endpoint: string
  /** The event is due again after this time. */
  readonly pauseSeconds: number
}

/** An event, by its id. */
interface EventReport {
  readonly endpoint: string
  readonly type: string
  readonly eventId: string
}

export interface LateSuccessReport extends EventReport {}

export interface DeathReport extends EventReport {}

export interface TraceIds {
  readonly traceId: string
  readonly spanId: string
}
