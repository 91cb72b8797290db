import { metrics as metricsApi, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { type OpenTelemetryOptions, openTelemetry } from '../../src/telemetries/opentelemetry.js'

/** The real SDK. Its spans and metrics stay in memory. By default each span is sampled. */
export function otelRig({ sampler }: { readonly sampler?: Sampler } = {}) {
  const spanExporter = new InMemorySpanExporter()
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
    ...(sampler && { sampler }),
  })
  // Registers the context manager too, without which no span is ever active.
  tracerProvider.register()
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })

  return {
    tracer: tracerProvider.getTracer('test'),
    meterProvider,
    telemetry: (options: OpenTelemetryOptions = {}) =>
      openTelemetry({ tracerProvider, meterProvider, ...options }),
    spans: () => spanExporter.getFinishedSpans(),

    /** The latest points of an endpoint, and of no endpoint, by the name of the metric. */
    async points(endpoint: string): Promise<Record<string, { attributes: object; value: unknown }[]>> {
      const all = await this.metrics()
      return Object.fromEntries(
        all.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints
            .map(({ attributes, value }) => ({ attributes, value }))
            .filter(({ attributes }) => isOf(attributes, endpoint)),
        ]),
      )
    },

    /** What is known of each metric: its name, unit, description and points. */
    async metrics() {
      metricExporter.reset()
      await reader.forceFlush()
      return metricExporter
        .getMetrics()
        .flatMap((each) => each.scopeMetrics.flatMap(({ metrics }) => metrics))
    },

    /** The instrumentation scopes of all spans and metrics. */
    async scopes() {
      await reader.forceFlush()
      const ofMetrics = metricExporter.getMetrics().flatMap((each) => each.scopeMetrics)
      return [
        ...spanExporter.getFinishedSpans().map((span) => span.instrumentationScope),
        ...ofMetrics.map(({ scope }) => scope),
      ]
    },

    reset: () => spanExporter.reset(),

    async close() {
      await tracerProvider.shutdown()
      await meterProvider.shutdown()
      trace.disable()
      metricsApi.disable()
    },
  }
}

const isOf = (attributes: object, endpoint: string) => {
  const names: unknown[] = ['webhook_inbox.endpoint', 'messaging.destination.name'].map(
    (name) => (attributes as Record<string, unknown>)[name],
  )
  return names.includes(endpoint) || names.every((name) => name === undefined)
}
