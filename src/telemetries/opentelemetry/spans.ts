import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
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
import { errorType, messaging, names, type Operation } from './attributes.js'
import { formatTraceParent, parseTraceParent } from './trace-parent.js'

/**
 * The spans of a receiver. A delivery gets none of its own: its facts become attributes of the active span, which is the one of the
 * HTTP server. What the sender calls its trace is linked and never a parent.
 */
export function spans(
  tracer: Tracer,
  { messagingConventions }: { readonly messagingConventions: boolean },
): Required<Pick<Telemetry, 'delivered' | 'storing' | 'running' | 'traceIds'>> {
  /** What a sampler may decide by. No id is among them, so that a span that is not sampled costs little. */
  const firstAttributes = (operation: Operation, { endpoint, type }: EventFacts): Attributes => {
    const attributes: Attributes = messagingConventions ? messaging(operation, endpoint) : {}
    attributes[names.endpoint] = endpoint
    attributes[names.type] = type
    return attributes
  }

  function identify(span: Span, { event }: EventFacts): void {
    span.setAttribute(names.eventId, event.id)
    if (messagingConventions) {
      span.setAttribute('messaging.message.id', event.id)
    }
  }

  /** `send`: the event is written to the inbox. Its context is what a run links to. */
  function storing(facts: EventFacts): Storing {
    const parent = context.active()
    const span = tracer.startSpan(
      `send ${facts.endpoint}`,
      {
        kind: SpanKind.PRODUCER,
        attributes: firstAttributes('send', facts),
        links: linkTo(facts.senderTrace),
      },
      parent,
    )
    const traceContext = formatTraceParent(span.spanContext())
    if (!span.isRecording()) {
      return { traceContext, ...unrecorded(span, parent) }
    }
    identify(span, facts)
    return {
      traceContext,
      within: (work) => context.with(trace.setSpan(parent, span), work),
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
   * `process`: the run of a handler. Before the response it belongs to the request. From a queue it is the root of a trace of
   * its own, since the request may be days ago.
   */
  function running(facts: RunFacts): Observation<RunReport> | undefined {
    const isQueued = facts.source === 'queue'
    const parent = isQueued ? ROOT_CONTEXT : context.active()
    const attributes = firstAttributes('process', facts)
    attributes[names.source] = facts.source
    const links = linkTo(isQueued ? facts.traceContext : facts.senderTrace)
    const span = tracer.startSpan(
      `process ${facts.endpoint}`,
      { kind: SpanKind.CONSUMER, attributes, links },
      parent,
    )
    if (!span.isRecording()) {
      return unrecorded(span, parent)
    }
    identify(span, facts)
    const active = trace.setSpan(parent, span)
    return {
      within: (work) => context.with(active, work),
      end(report) {
        span.setAttributes({
          [names.outcome]: report.result.outcome,
          [names.code]: report.result.code,
          [names.attempt]: report.attempt,
        })
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
    const attributes = firstAttributes('settle', facts)
    attributes[names.outcome] = result.outcome
    attributes[names.code] = result.code
    const startTime = endTime - settleSeconds * 1000
    const span = tracer.startSpan(
      `settle ${facts.endpoint}`,
      { kind: SpanKind.CLIENT, startTime, attributes },
      parent,
    )
    identify(span, facts)
    span.end(endTime)
  }

  return { storing, running, delivered: describeDelivery, traceIds }
}

/**
 * The observation of work whose span is not sampled. The work must know that, or each of its own spans would begin a trace.
 * Under a parent that is not sampled it knows already.
 */
function unrecorded(span: Span, parent: Context): Observation<never> | undefined {
  const above = trace.getSpanContext(parent)
  const isKnown = above !== undefined && (above.traceFlags & TraceFlags.SAMPLED) === 0
  if (isKnown || !isSpanContextValid(span.spanContext())) {
    return undefined
  }
  return { within: (work) => context.with(trace.setSpan(parent, span), work) }
}

/** Puts the facts of a delivery on the active span. What the HTTP server makes of the status is its own. */
function describeDelivery({ endpoint, type, result }: DeliveryReport): void {
  const span = trace.getActiveSpan()
  if (!span?.isRecording()) {
    return
  }
  span.setAttributes({
    [names.endpoint]: endpoint,
    [names.outcome]: result.outcome,
    [names.code]: result.code,
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
