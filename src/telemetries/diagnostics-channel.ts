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
  LateSuccessReport,
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
  'webhook-inbox:run.late': LateSuccessReport
  'webhook-inbox:retry': RetryReport
  'webhook-inbox:death': DeathReport
}

const channels = {
  delivery: channel('webhook-inbox:delivery'),
  stored: channel('webhook-inbox:stored'),
  start: channel('webhook-inbox:run.start'),
  end: channel('webhook-inbox:run.end'),
  late: channel('webhook-inbox:run.late'),
  retry: channel('webhook-inbox:retry'),
  death: channel('webhook-inbox:death'),
}

/**
 * Publishes on the channels of {@link ChannelMessages}. Nothing is gathered for a channel without a subscriber. Messages
 * hold customers’ data: see `Telemetry`. Node reports what a subscriber throws as an `uncaughtException`.
 *
 * @example
 * const receiver = createReceiver({ secret, store, handlers, telemetry: diagnosticsChannel() })
 */
export function diagnosticsChannel(): Telemetry {
  return {
    // A method is absent while its channel has no subscriber.
    get delivered() {
      return channels.delivery.hasSubscribers ? publishing.delivered : undefined
    },
    get storing() {
      return channels.stored.hasSubscribers ? publishing.storing : undefined
    },
    get running() {
      return channels.start.hasSubscribers || channels.end.hasSubscribers ? publishing.running : undefined
    },
    succeededLate: publishing.succeededLate,
    retried: publishing.retried,
    died: publishing.died,
  } as Telemetry
}

const publishing = {
  delivered: (report) => channels.delivery.publish(report),
  storing: (facts) => ({ end: (report) => channels.stored.publish({ ...facts, ...report }) }),
  running: (facts) => ({
    within: (work) => channels.start.runStores(facts, work) as never,
    end: (report) => channels.end.publish({ ...facts, ...report }),
  }),
  succeededLate: (report) => channels.late.publish(report),
  retried: (report) => channels.retry.publish(report),
  died: (report) => channels.death.publish(report),
} as const satisfies Telemetry
