import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type {
  DeliveryReport,
  EventFacts,
  Observation,
  RunFacts,
  RunReport,
  Storing,
  Telemetry,
} from '../../telemetry/telemetry.js'
import { ending, errorType, messaging, names, type Operation } from './attributes.js'
import { formatTraceParent, parseTraceParent } from './trace-parent.js'

/**
 * The spans of a receiver. A delivery gets none of its own: its facts go on the active span, which is the one of the
 * HTTP server. What the sender calls its trace is linked and never a parent.
 */
export function spans(
  tracer: Tracer,
  hasConventions: boolean,
): Required<Pick<Telemetry, 'delivered' | 'storing' | 'running' | 'traceIds'>> {
  const attributesOf = (operation: Operation, { endpoint, type, event }: EventFacts): Attributes => ({
    [names.endpoint]: endpoint,
    [names.type]: type,
    [names.eventId]: event.id,
    ...(hasConventions && { ...messaging(operation, endpoint), 'messaging.message.id': event.id }),
  })

  /** `send`: the event is written to the inbox. Its context is what a run links to. */
  function storing(facts: EventFacts): Storing {
    const kind = SpanKind.PRODUCER
    const attributes = attributesOf('send', facts)
    const span = tracer.startSpan(`send ${facts.endpoint}`, {
      kind,
      attributes,
      links: linkTo(facts.senderTrace),
    })
    return {
      traceContext: formatTraceParent(span.spanContext()),
      within: (work) => context.with(trace.setSpan(context.active(), span), work),
      end({ state }) {
        span.setAttribute(names.outcome, state)
        if (state === 'failed') {
          span.setAttribute('error.type', 'store_unavailable').setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }

  /**
   * `process`: the run of a handler. Before the answer it belongs to the request. From a queue it is the root of a trace of
   * its own, since the request may be days ago.
   */
  function running(facts: RunFacts): Observation<RunReport> {
    const isQueued = facts.source === 'queue'
    const parent = isQueued ? ROOT_CONTEXT : context.active()
    const span = tracer.startSpan(
      `process ${facts.endpoint}`,
      {
        kind: SpanKind.CONSUMER,
        attributes: { ...attributesOf('process', facts), [names.source]: facts.source },
        links: linkTo(isQueued ? facts.traceContext : facts.senderTrace),
      },
      parent,
    )
    const active = trace.setSpan(parent, span)
    return {
      within: (work) => context.with(active, work),
      end(report) {
        span.setAttributes(ending(report.result))
        if (report.attempt !== undefined) {
          span.setAttribute(names.attempt, report.attempt)
        }
        const error = errorType(report.result)
        if (error !== undefined) {
          span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
        }
        settle(facts, report, active)
        span.end()
      },
    }
  }

  /** `settle`: the store marks the event done, or notes its failure. It is over when it is told. */
  function settle(facts: EventFacts, { settleSeconds, result }: RunReport, parent: Context): void {
    if (settleSeconds === undefined) {
      return
    }
    const endTime = Date.now()
    tracer
      .startSpan(
        `settle ${facts.endpoint}`,
        {
          kind: SpanKind.CLIENT,
          startTime: endTime - settleSeconds * 1000,
          attributes: { ...attributesOf('settle', facts), ...ending(result) },
        },
        parent,
      )
      .end(endTime)
  }

  return { storing, running, delivered: describeDelivery, traceIds }
}

/** Puts the facts of a delivery on the active span. What the HTTP server makes of the status is its own. */
function describeDelivery({ endpoint, type, result }: DeliveryReport): void {
  const span = trace.getActiveSpan()
  if (!span?.isRecording()) {
    return
  }
  span.setAttributes({
    [names.endpoint]: endpoint,
    ...ending(result),
    // An attribute that is undefined is left out.
    [names.type]: type,
    [names.eventId]: result.eventId,
  })
}

function traceIds() {
  const active = trace.getActiveSpan()?.spanContext()
  return active && trace.isSpanContextValid(active)
    ? { traceId: active.traceId, spanId: active.spanId }
    : undefined
}

function linkTo(traceParent: string | undefined): Link[] {
  const linked = parseTraceParent(traceParent)
  return linked ? [{ context: linked }] : []
}
