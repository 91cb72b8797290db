/**
 * Traces and metrics of a receiver on OpenTelemetry.
 *
 * @module
 */
import { type MeterProvider, metrics as metricsApi, type TracerProvider, trace } from '@opentelemetry/api'
import { invalidOption } from '../errors.js'
import { givenOptions, readable } from '../given-options.js'
import type { RunReport, Telemetry } from '../telemetry/telemetry.js'
import { version } from '../version.js'
import { scope } from './opentelemetry/attributes.js'
import { metrics } from './opentelemetry/metrics.js'
import { spans } from './opentelemetry/spans.js'

export type { Telemetry } from '../telemetry/telemetry.js'

export interface OpenTelemetryOptions {
  /** Default: the global one, which your SDK registers. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Default: the global one, which your SDK registers. */
  readonly meterProvider?: MeterProvider | undefined
  /**
   * Adds the attributes and the metrics of the messaging conventions (1.44), whose names may still change. Default: whether
   * the environment variable `OTEL_SEMCONV_STABILITY_OPT_IN` lists `messaging` or `messaging/dup`.
   */
  readonly messagingConventions?: boolean | undefined
}

/**
 * Traces and metrics by `@opentelemetry/api`, which is your own. Without a registered SDK it does nothing. Build it after
 * the SDK is registered, or pass the providers.
 *
 * The active span of a delivery, which is the one of the HTTP server, gets attributes. Storing an event is a span `send`, and
 * running it a span `process`. A run from a queue is a new trace that links to `send`, in any process and after any time.
 * No metric has an id, a URL or a message as a label. No span has a body, a secret or a signature.
 *
 * Throws `ConfigurationError` (`invalid_option`, `unknown_option`).
 *
 * @example
 * const receiver = createReceiver({ secret, store, handlers, telemetry: openTelemetry() })
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  givenOptions('openTelemetry', options, ['tracerProvider', 'meterProvider', 'messagingConventions'])
  const { messagingConventions = isOptedIn() } = options
  if (typeof messagingConventions !== 'boolean') {
    throw invalidOption('messagingConventions must be a boolean')
  }
  checkProvider('tracerProvider', 'getTracer', options.tracerProvider)
  checkProvider('meterProvider', 'getMeter', options.meterProvider)
  const tracer = (options.tracerProvider ?? trace).getTracer(scope, version)
  const traced = spans(tracer, { messagingConventions })
  const measured = metrics(options.meterProvider ?? metricsApi.getMeterProvider(), { messagingConventions })

  return {
    ...traced,
    delivered(report) {
      traced.delivered(report)
      measured.delivered(report)
    },
    running(facts) {
      const span = traced.running(facts)
      const end = (report: RunReport) => {
        span?.end?.(report)
        measured.ran(facts, report)
      }
      return span?.within ? { within: span.within, end } : { end }
    },
    retried: measured.retried,
    died: measured.died,
    watch: measured.watch,
  }
}

function isOptedIn(): boolean {
  const optIns = globalThis.process?.env?.OTEL_SEMCONV_STABILITY_OPT_IN ?? ''
  return optIns.split(',').some((each) => /^messaging(?:\/dup)?$/.test(each.trim()))
}

function checkProvider(name: string, method: string, provider: object | undefined): void {
  const given = provider as Readonly<Record<string, unknown>> | null | undefined
  if (given !== undefined && readable(name, () => typeof given?.[method]) !== 'function') {
    throw invalidOption(`${name} must have ${method}()`)
  }
}
