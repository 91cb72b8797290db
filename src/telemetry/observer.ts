import type { ReceiveRequest } from '../request.js'
import type { ReceiveResult } from '../result.js'
import type { AcceptOutcome, Inbox } from '../store/inbox.js'
import type { VerifiedEvent } from '../verified-delivery.js'
import type { TraceIds } from './telemetry.js'

/** What a run has come to, for its report. All times by `performance.now()`. */
export interface RunProgress {
  attempt?: number
  handlerFrom?: number
  handlerUntil?: number
  isClaimLost?: boolean
}

/** The receiver’s side of a `Telemetry`: what its steps call, whether there is a telemetry or not. Never throws. */
export interface Observer {
  /** The `traceparent` of a delivery, as far as anybody wants it. */
  senderTrace(request: ReceiveRequest): string | undefined
  /** `startedAt` is by `performance.now()`. */
  delivered(result: ReceiveResult, startedAt: number): void
  /** Observes how an event is stored. `store` gets the trace context for its row. */
  storing(
    delivery: VerifiedEvent,
    store: (traceContext: string | undefined) => Promise<AcceptOutcome>,
  ): Promise<AcceptOutcome>
  /** Observes a run, from the look at the store to its result. */
  running(
    delivery: VerifiedEvent,
    progress: RunProgress,
    work: () => Promise<ReceiveResult>,
  ): Promise<ReceiveResult>
  /** The inbox for a queue, whose retries are reported. */
  watchRetries<Tx>(inbox: Inbox<Tx>): Inbox<Tx>
  /** A run that was reported as failed, because it was not done in time, has succeeded since. */
  succeededLate(event: { readonly id: string; readonly type: string }): void
  died(event: { readonly id: string; readonly type: string }): void
  /** Offers the figures of the inbox until the returned function is called. */
  watch(inbox: Inbox<unknown>): (() => void) | undefined
  traceIds(): TraceIds | undefined
}

/** Without a telemetry nothing is observed. */
export const noObserver: Observer = {
  senderTrace: () => undefined,
  delivered() {},
  storing: (_delivery, store) => store(undefined),
  running: (_delivery, _progress, work) => work(),
  watchRetries: (inbox) => inbox,
  succeededLate() {},
  died() {},
  watch: () => undefined,
  traceIds: () => undefined,
}
