import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/** Version, trace, span and flags, as https://www.w3.org/TR/trace-context/#traceparent-header has them. */
const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/**
 * Reads a `traceparent`; `undefined` if it is none. The form is strict, because a sender may write anything there. A
 * later version may have more parts, which are ignored.
 */
export function parseTraceParent(text: string | undefined): SpanContext | undefined {
  const match = text !== undefined && text.length <= longest && form.exec(text)
  if (!match) {
    return undefined
  }
  const [, traceId, spanId, flags] = match as unknown as readonly [string, string, string, string]
  const traceFlags = Number.parseInt(flags, 16) & sampled
  const context = { traceId, spanId, traceFlags, isRemote: true, traceState: createTraceState() }
  return isSpanContextValid(context) ? context : undefined
}

/** Writes a `traceparent`; `undefined` if no tracer is registered. */
export function formatTraceParent(context: SpanContext): string | undefined {
  const { traceId, spanId, traceFlags } = context
  return isSpanContextValid(context)
    ? `00-${traceId}-${spanId}-${(traceFlags & sampled).toString(16).padStart(2, '0')}`
    : undefined
}

/** The one flag that says whether the trace is kept. */
const sampled = 1

const longest = 512
