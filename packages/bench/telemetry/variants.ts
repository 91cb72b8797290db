import { metrics, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import type { Telemetry } from 'webhook-inbox'
import { type ByHand, metricsByHand, spansByHand } from './by-hand.js'
import type { Library } from './library.js'

/** What surrounds a receiver: its telemetry, and the span of the HTTP server that a host's own tracing makes. */
export interface Variant {
  readonly name: string
  /** The variant that this one is compared with. */
  readonly base: string
  build(library: Library): Promise<Telemetry | undefined>
  /** Absent where the host traces nothing. */
  readonly hostTracer?: () => Tracer
  /** What a program without our telemetry writes around each receive, to know the same. */
  readonly byHand?: () => ByHand
}

/** `none` runs in the package that `--before` names too, under the name `before`. */
export const none: Variant = { name: 'no telemetry', base: 'no telemetry', build: async () => undefined }
export const before: Variant = { ...none, name: 'the package before' }

const channels: Variant['build'] = async (library) =>
  (await library.diagnosticsChannel()).diagnosticsChannel()
const openTelemetry: Variant['build'] = async (library) => (await library.openTelemetry()).openTelemetry()

export const variants: readonly Variant[] = [
  none,
  // What two processes without a difference differ by.
  { ...none, name: 'no telemetry, again' },
  { ...none, name: 'a port without methods', build: async () => ({}) },
  { ...none, name: 'channels without a subscriber', build: channels },
  { ...none, name: 'metrics by hand', build: async () => registerMetrics(), byHand: metricsByHand },
  {
    ...none,
    name: 'metrics',
    build(library) {
      registerMetrics()
      return openTelemetry(library)
    },
  },
  ...[0.01, 0.1, 1].flatMap((share): Variant[] => {
    const host = `the host traces ${100 * share} %`
    const hostTracer = () => trace.getTracer('host')
    return [
      {
        ...none,
        name: host,
        hostTracer,
        build: async () => registerTraces(share),
      },
      {
        name: `${host}, by hand`,
        base: host,
        hostTracer,
        byHand: () => spansByHand(hostTracer(), metricsByHand()),
        async build() {
          registerTraces(share)
          registerMetrics()
          return undefined
        },
      },
      {
        name: `${host}, metrics and traces`,
        base: host,
        hostTracer,
        build(library) {
          registerTraces(share)
          registerMetrics()
          return openTelemetry(library)
        },
      },
    ]
  }),
]

/** Makes the span of an HTTP server around some work, as an instrumentation does. */
export const inServerSpan = <T>(tracer: Tracer, work: () => Promise<T>): Promise<T> =>
  tracer.startActiveSpan('POST /webhooks', { kind: SpanKind.SERVER }, (span) =>
    work().finally(() => span.end()),
  )

/** Exports once a second to nowhere: the cost of a protocol is not ours. */
function registerMetrics(): undefined {
  const exporter = {
    export: (_metrics: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 1000,
    exportTimeoutMillis: 900,
  })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
}

/** Keeps each span that is sampled, in batches, and exports them to nowhere. */
function registerTraces(share: number): undefined {
  const exporter = {
    export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  }
  new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 1e6, scheduledDelayMillis: 200 })],
  }).register()
}
