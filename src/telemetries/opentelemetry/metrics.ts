import type { Attributes, Meter } from '@opentelemetry/api'
import type { DeliveryReport, RunReport, Telemetry } from '../../telemetry/telemetry.js'
import { ending, errorType, messaging, names } from './attributes.js'

/** In seconds. A run is bounded by `handlerTimeoutSeconds`, a lag by the retries of the sender, which go on for days. */
const runBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const lagBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 21_600, 86_400, 604_800]
const skewBuckets = [1, 2, 5, 15, 30, 60, 120, 180, 240, 300, 3600]

const seconds = (description: string, boundaries: number[]) => ({
  description,
  unit: 's',
  advice: { explicitBucketBoundaries: boundaries },
})

/** The metrics of a receiver. Labels are endpoints, types, outcomes and codes: each has few values. */
export function metrics(
  meter: Meter,
  hasConventions: boolean,
): Required<Pick<Telemetry, 'delivered' | 'retried' | 'died' | 'watch'>> & { ran: (run: Run) => void } {
  const count = (name: string, description: string, unit: string) =>
    meter.createCounter(`webhook_inbox.${name}`, { description, unit })
  const measure = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(`webhook_inbox.${name}`, seconds(description, boundaries))

  const deliveries = count('deliveries', 'Deliveries by how they were answered.', '{delivery}')
  const receiptLag = measure('receipt.lag', 'From createdAt to the receipt of an event.', lagBuckets)
  const doneLag = measure('done.lag', 'From createdAt to the end of the work on an event.', lagBuckets)
  const skew = measure('clock.skew', 'How far the signed time is from our clock.', skewBuckets)
  const runs = measure('run.duration', 'How long handlers ran.', runBuckets)
  const lostClaims = count('claims.lost', 'Handlers that ended after their claim had passed on.', '{claim}')
  const retries = count('retries', 'Runs that failed and are tried again.', '{run}')
  const deaths = count('deaths', 'Events that no retry could help.', '{event}')
  const standard = hasConventions ? messagingMetrics(meter) : undefined

  return {
    delivered({ endpoint, type, result, lagSeconds, clockSkewSeconds }: DeliveryReport) {
      const attributes: Attributes = { [names.endpoint]: endpoint, ...ending(result) }
      if (type !== undefined) {
        attributes[names.type] = type
      }
      if (result.secretIndex !== undefined) {
        attributes[names.secretIndex] = result.secretIndex
      }
      deliveries.add(1, attributes)
      // The lag of a duplicate says how long the sender goes on, and nothing about us.
      if (lagSeconds !== undefined && result.outcome !== 'duplicate') {
        receiptLag.record(lagSeconds, { [names.endpoint]: endpoint })
      }
      if (clockSkewSeconds !== undefined) {
        const direction = clockSkewSeconds < 0 ? 'ahead' : 'behind'
        skew.record(Math.abs(clockSkewSeconds), { [names.endpoint]: endpoint, [names.direction]: direction })
      }
    },

    ran({ endpoint, type, source, report }) {
      const { handlerSeconds, lagSeconds, isClaimLost, result } = report
      if (handlerSeconds !== undefined) {
        runs.record(handlerSeconds, {
          [names.endpoint]: endpoint,
          [names.type]: type,
          [names.source]: source,
          ...ending(result),
        })
        standard?.(endpoint, handlerSeconds, errorType(result))
      }
      if (lagSeconds !== undefined) {
        doneLag.record(lagSeconds, { [names.endpoint]: endpoint })
      }
      if (isClaimLost) {
        lostClaims.add(1, { [names.endpoint]: endpoint })
      }
    },

    retried: ({ endpoint }) => retries.add(1, { [names.endpoint]: endpoint }),

    died: ({ endpoint, type }) => deaths.add(1, { [names.endpoint]: endpoint, [names.type]: type }),

    watch: (health) => watchInbox(meter, health),
  }
}

export interface Run {
  readonly endpoint: string
  readonly type: string
  readonly source: 'delivery' | 'queue'
  readonly report: RunReport
}

/** Reads the figures of the inbox whenever the metrics are read. Every process of one store reads the same figures. */
function watchInbox(meter: Meter, health: Parameters<NonNullable<Telemetry['watch']>>[0]): () => void {
  const gauge = (name: string, description: string, unit: string) =>
    meter.createObservableGauge(`webhook_inbox.${name}`, { description, unit })
  const pending = gauge('events.pending', 'Events that are neither done nor dead.', '{event}')
  const dead = gauge('events.dead', 'Events that wait for a replay.', '{event}')
  const quarantined = gauge('deliveries.quarantined', 'Deliveries that wait for a person.', '{delivery}')
  const oldest = gauge('events.oldest_pending.age', 'How long the oldest pending event has waited.', 's')
  const all = [pending, dead, quarantined, oldest]

  async function read(result: Parameters<Parameters<Meter['addBatchObservableCallback']>[0]>[0]) {
    const { counts, oldestUnprocessedSeconds } = await health()
    result.observe(pending, counts.accepted + counts.failed)
    result.observe(dead, counts.dead)
    result.observe(quarantined, counts.quarantined)
    result.observe(oldest, oldestUnprocessedSeconds)
  }

  meter.addBatchObservableCallback(read, all)
  return () => meter.removeBatchObservableCallback(read, all)
}

/** What the conventions name themselves: how long the processing took, and one message for each time it was consumed. */
function messagingMetrics(meter: Meter) {
  const duration = meter.createHistogram(
    'messaging.process.duration',
    seconds('Duration of processing operation.', runBuckets),
  )
  const consumed = meter.createCounter('messaging.client.consumed.messages', {
    description: 'Number of messages that were delivered to the application.',
    unit: '{message}',
  })
  return (endpoint: string, handlerSeconds: number, error: string | undefined) => {
    const attributes = messaging('process', endpoint)
    if (error !== undefined) {
      attributes['error.type'] = error
    }
    duration.record(handlerSeconds, attributes)
    consumed.add(1, attributes)
  }
}
