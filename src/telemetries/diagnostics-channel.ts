/**
 * What a receiver does, on channels of `node:diagnostics_channel`. No dependency is needed.
 *
 * @module
 */
import { channel } from 'node:diagnostics_channel'
import type {
  DeathReport,
  DeliveryReport,
  EventFacts,
  RetryReport,
  RunFacts,
  RunReport,
  StoringReport,
  Telemetry,
} from '../telemetry/telemetry.js'

/** The messages of the channels, by the name of the channel. */
export interface ChannelMessages {
  'webhook-inbox:delivery': DeliveryReport
  'webhook-inbox:stored': EventFacts & StoringReport
  /** Bind an `AsyncLocalStorage` to it, and each run has a store of its own. */
  'webhook-inbox:run.start': RunFacts
  'webhook-inbox:run.end': RunFacts & RunReport
  'webhook-inbox:retry': RetryReport
  'webhook-inbox:death': DeathReport
}

const channels = {
  delivery: channel('webhook-inbox:delivery'),
  stored: channel('webhook-inbox:stored'),
  start: channel('webhook-inbox:run.start'),
  end: channel('webhook-inbox:run.end'),
  retry: channel('webhook-inbox:retry'),
  death: channel('webhook-inbox:death'),
}

/**
 * Publishes on the channels of {@link ChannelMessages}. A channel without a subscriber costs next to nothing. Messages
 * hold customers’ data: see `Telemetry`.
 *
 * @example
 * const receiver = createReceiver({ secret, store, handlers, telemetry: diagnosticsChannel() })
 */
export function diagnosticsChannel(): Telemetry {
  return {
    delivered: (report) => channels.delivery.publish(report),
    storing: (facts) =>
      channels.stored.hasSubscribers
        ? { end: (report) => channels.stored.publish({ ...facts, ...report }) }
        : undefined,
    running: (facts) =>
      channels.start.hasSubscribers || channels.end.hasSubscribers
        ? {
            within: (work) => channels.start.runStores(facts, work) as never,
            end: (report) => channels.end.publish({ ...facts, ...report }),
          }
        : undefined,
    retried: (report) => channels.retry.publish(report),
    died: (report) => channels.death.publish(report),
  }
}
