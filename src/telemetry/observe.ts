import { header } from '../request.js'
import { type ReceiveResult, reject } from '../result.js'
import type { AcceptOutcome } from '../store/inbox.js'
import type { VerifiedEvent } from '../verified-delivery.js'
import { type GuardedObservation, guard } from './guard.js'
import { noObserver, type Observer, type RunProgress } from './observer.js'
import type { EventFacts, RunFacts, RunReport, StoringReport, Telemetry } from './telemetry.js'
import { typeLabels } from './type-labels.js'
import { watchRetries } from './watch-retries.js'

/** What an observer needs to know of its receiver. */
export interface Observed {
  readonly endpoint: string
  readonly handlers: object | undefined
  readonly now: () => number
}

/** The observer that calls a user's telemetry; one that does nothing if there is none. */
export function observe(
  telemetry: Telemetry | undefined,
  { endpoint, handlers, now }: Observed,
  complain: (method: string, error: unknown) => void,
): Observer {
  if (!telemetry) {
    return noObserver
  }
  const told = guard(telemetry, complain)
  const labelOf = typeLabels(Object.keys(handlers ?? {}))

  // Both are written out: spreading the one into the other took longer than the rest of the report of a run.
  const stored = ({ event, trace }: VerifiedEvent): EventFacts => ({
    endpoint,
    type: labelOf(event.type),
    event,
    // Only an event of a delivery is stored.
    senderTrace: trace,
  })
  const ran = ({ event, source, trace }: VerifiedEvent): RunFacts => ({
    endpoint,
    type: labelOf(event.type),
    event,
    senderTrace: source === 'delivery' ? trace : undefined,
    source,
    traceContext: source === 'queue' ? trace : undefined,
  })

  /** The clock is a function of the user. It may fail after the check of the age has called it. */
  function skewOf(signedAt: number): number | undefined {
    try {
      const skew = now() - signedAt
      return Number.isFinite(skew) ? skew : undefined
    } catch {
      return undefined
    }
  }

  return {
    senderTrace(request) {
      if (!told.wants('storing') && !told.wants('running')) {
        return undefined
      }
      const value = header(request, 'traceparent')
      return typeof value === 'string' ? value : undefined
    },

    delivered(result, startedAt) {
      if (!told.wants('delivered')) {
        return
      }
      const seconds = since(startedAt)
      const { event, signedAt } = result
      told.delivered({
        endpoint,
        type: event && labelOf(event.type),
        result,
        seconds,
        lagSeconds: event && lagOf(event.createdAt, seconds),
        clockSkewSeconds: signedAt === undefined ? undefined : skewOf(signedAt),
      })
    },

    storing(delivery, store) {
      const storing = told.wants('storing') ? told.storing(stored(delivery)) : undefined
      return storing ? observedStoring(storing, store) : store(undefined)
    },

    running(delivery, progress, work) {
      if (!told.wants('running')) {
        return work()
      }
      const startedAt = performance.now()
      const run = told.running(ran(delivery))
      return run ? observedRun(run, delivery, progress, startedAt, work) : work()
    },

    watchRetries: (inbox) => watchRetries(inbox, (pauseSeconds) => told.retried({ endpoint, pauseSeconds })),

    succeededLate: ({ id, type }) => void told.succeededLate({ endpoint, type: labelOf(type), eventId: id }),

    died: ({ id, type }) => void told.died({ endpoint, type: labelOf(type), eventId: id }),

    watch: (inbox) => told.watch(() => inbox.health()),

    traceIds: () => told.traceIds(),
  }
}

async function observedStoring(
  storing: GuardedObservation,
  store: (traceContext: string | undefined) => Promise<AcceptOutcome>,
): Promise<AcceptOutcome> {
  const end = (report: StoringReport) => storing.end(report)
  try {
    // It is async, so that an error of the store is never taken for one of `within`.
    const outcome = await storing.within(async () => store(traceContextOf(storing.traceContext)))
    end({ state: outcome.state })
    return outcome
  } catch (cause) {
    end({ state: 'failed', cause })
    throw cause
  }
}

async function observedRun(
  run: GuardedObservation,
  delivery: VerifiedEvent,
  progress: RunProgress,
  startedAt: number,
  work: () => Promise<ReceiveResult>,
): Promise<ReceiveResult> {
  const end = (result: ReceiveResult) => run.end(runReport(result, progress, startedAt))
  try {
    const result = await run.within(work)
    end(result)
    return result
  } catch (cause) {
    end(reject('store_unavailable', { ...delivery, cause }))
    throw cause
  }
}

function runReport(result: ReceiveResult, progress: RunProgress, startedAt: number): RunReport {
  const { attempt, handlerFrom, handlerUntil, isClaimLost = false } = progress
  const { event, outcome } = result
  return {
    result,
    seconds: since(startedAt),
    attempt,
    handlerSeconds: handlerFrom && ((handlerUntil ?? performance.now()) - handlerFrom) / 1000,
    settleSeconds: handlerUntil && since(handlerUntil),
    isClaimLost,
    lagSeconds: event && outcome === 'processed' ? lagOf(event.createdAt, 0) : undefined,
  }
}

const since = (startedAt: number) => (performance.now() - startedAt) / 1000

/** A sender chooses `createdAt`. One of the year 1 would distort a histogram for days. */
const longestLagSeconds = 3650 * 86_400

/** A delivery and its run ask about the same time one after the other, and to parse it costs more than the report. */
let lastParsed = { text: '', time: Number.NaN }

function parse(text: string): number {
  if (lastParsed.text !== text) {
    lastParsed = { text, time: Date.parse(text) }
  }
  return lastParsed.time
}

/** How long ago a time was, `earlier` seconds before now; `undefined` if it is no time, or ten years ago. */
function lagOf(createdAt: string, earlier: number): number | undefined {
  const lag = (Date.now() - parse(createdAt)) / 1000 - earlier
  return lag <= longestLagSeconds ? Math.max(0, lag) : undefined
}

/** Longer than any known format, and short enough for a column of every row. */
const longestContext = 512

const traceContextOf = (given: unknown) =>
  typeof given === 'string' && given.length <= longestContext ? given : undefined
