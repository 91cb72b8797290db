import { context, metrics, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type { ReceiveResult } from 'webhook-inbox'

/** Runs a receive, and reports it. `runs` says that the handler runs before the response. */
export type ByHand = (receive: () => Promise<ReceiveResult>, runs: boolean) => Promise<ReceiveResult>

const endpoint = { 'webhook_inbox.endpoint': 'default' }

/** The metrics of `openTelemetry()` as one would write them with the SDK: a counter and up to three histograms. */
export function metricsByHand(): ByHand {
  const meter = metrics.getMeter('by hand')
  const deliveries = meter.createCounter('deliveries')
  const skew = meter.createCounter('skew')
  const [receiptLag, doneLag, duration] = ['receipt.lag', 'done.lag', 'duration'].map((name) =>
    meter.createHistogram(name, { unit: 's' }),
  )
  return async (receive, runs) => {
    const startedAt = performance.now()
    const result = await receive()
    const { outcome, code, event, secretIndex, signedAt = 0 } = result
    const type = { 'webhook_inbox.event.type': event?.type as string }
    const of = { ...endpoint, ...type, outcome, code: code as string, secretIndex: secretIndex as number }
    deliveries.add(1, of)
    skew.add(Math.abs(Date.now() / 1000 - signedAt), endpoint)
    const lag = (Date.now() - Date.parse(event?.createdAt as string)) / 1000
    receiptLag?.record(lag, endpoint)
    if (runs) {
      duration?.record((performance.now() - startedAt) / 1000, { ...endpoint, ...type })
      doneLag?.record(lag, endpoint)
    }
    return result
  }
}

/** The same with the spans: `send` of an event that is stored, or `process` and `settle` of one that runs. */
export function spansByHand(tracer: Tracer, measured: ByHand): ByHand {
  return (receive, runs) =>
    measured(async () => {
      const parent = context.active()
      const kind = runs ? SpanKind.CONSUMER : SpanKind.PRODUCER
      const attributes = { ...endpoint, 'webhook_inbox.event.type': 'transfer.settled' }
      const span = tracer.startSpan(runs ? 'process default' : 'send default', { kind, attributes }, parent)
      const result = await context.with(trace.setSpan(parent, span), receive)
      if (span.isRecording()) {
        const facts = { 'webhook_inbox.event.id': result.eventId, 'webhook_inbox.outcome': result.outcome }
        span.setAttributes(facts)
        trace.getSpan(parent)?.setAttributes({ ...attributes, ...facts })
        if (runs) {
          tracer.startSpan('settle default', { attributes }, trace.setSpan(parent, span)).end()
        }
      }
      span.end()
      return result
    }, runs)
}
