import type { Attributes, Meter, MeterProvider } from '@opentelemetry/api'
import type { DeliveryReport, RunFacts, RunReport, Telemetry } from '../../telemetry/telemetry.js'
import { version } from '../../version.js'
import { errorType, messaging, names, scope } from './attributes.js'
import { Tally } from './tally.js'

/** In seconds. A run is bounded by `handlerTimeoutSeconds`, a lag by the retries of the sender, which continue for days. */
const runBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const lagBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 21_600, 86_400, 604_800]

const seconds = (description: string, boundaries: number[]) => ({
  description,
  unit: 's',
  advice: { explicitBucketBoundaries: boundaries },
})

export interface Metrics extends Required<Pick<Telemetry, 'delivered' | 'retried' | 'died' | 'watch'>> {
  ran(facts: RunFacts, report: RunReport): void
}

/** By their provider: two observable counters of one name would overwrite each other, for example in two receivers. */
const existing = new WeakMap<MeterProvider, ReturnType<typeof createMetrics>>()

/** The metrics of all receivers of a meter provider. Labels are endpoints, types, outcomes and codes: each has few values. */
export function metrics(
  provider: MeterProvider,
  { messagingConventions }: { readonly messagingConventions: boolean },
): Metrics {
  const created = existing.get(provider) ?? createMetrics(provider.getMeter(scope, version))
  existing.set(provider, created)
  if (!messagingConventions) {
    return created.own
  }
  const standard = created.messaging()
  return {
    ...created.own,
    ran(facts, report) {
      created.own.ran(facts, report)
      standard(facts, report)
    },
  }
}

function createMetrics(meter: Meter) {
  const count = (name: string, description: string, unit: string, ...labels: string[]) =>
    counted(meter, `webhook_inbox.${name}`, { description, unit }, labels)
  const measure = (name: string, description: string, boundaries: number[]) =>
    meter.createHistogram(`webhook_inbox.${name}`, seconds(description, boundaries))
  const { endpoint, outcome, code, type, secretIndex, direction } = names

  const deliveries = count(
    'deliveries',
    'Deliveries by their outcome.',
    '{delivery}',
    ...[endpoint, outcome, code, type, secretIndex],
  )
  const skew = count(
    'clock.skew',
    'Sum of how far signed times are from our clock.',
    's',
    endpoint,
    direction,
  )
  const compared = count(
    'clock.comparisons',
    'Signed times that were compared.',
    '{delivery}',
    endpoint,
    direction,
  )
  const lostClaims = count(
    'claims.lost',
    'Handlers that ended after their claim had passed on.',
    '{claim}',
    endpoint,
  )
  const retries = count('retries', 'Runs that failed and are retried.', '{run}', endpoint)
  const deaths = count('deaths', 'Events that no retry could help.', '{event}', endpoint, type)
  const receiptLag = measure('receipt.lag', 'From createdAt to the receipt of an event.', lagBuckets)
  const doneLag = measure('done.lag', 'From createdAt to the end of the work on an event.', lagBuckets)
  const runs = measure('run.duration', 'How long handlers ran.', runBuckets)

  // One object for each endpoint: a receiver has one, and every delivery needs it.
  const kept = new Map<string, Attributes>()
  function labelsOf(name: string): Attributes {
    let labels = kept.get(name)
    if (!labels) {
      labels = { [endpoint]: name }
      kept.set(name, labels)
    }
    return labels
  }

  const own: Metrics = {
    delivered({ endpoint, type, result, lagSeconds, clockSkewSeconds }: DeliveryReport) {
      deliveries.add(1, endpoint, result.outcome, result.code, type, result.secretIndex)
      // The lag of a duplicate says how long the sender continues, and nothing about us.
      if (lagSeconds !== undefined && result.outcome !== 'duplicate') {
        receiptLag.record(lagSeconds, labelsOf(endpoint))
      }
      if (clockSkewSeconds !== undefined) {
        const direction = clockSkewSeconds < 0 ? 'ahead' : 'behind'
        skew.add(Math.abs(clockSkewSeconds), endpoint, direction)
        compared.add(1, endpoint, direction)
      }
    },

    ran({ endpoint, type }, { handlerSeconds, lagSeconds, isClaimLost, result }) {
      if (handlerSeconds !== undefined) {
        // The SDK hashes the labels on each call, so there is one for each question and no other.
        const labels: Attributes = { [names.endpoint]: endpoint, [names.type]: type }
        if (result.code !== undefined) {
          labels[names.code] = result.code
        }
        runs.record(handlerSeconds, labels)
      }
      if (lagSeconds !== undefined) {
        doneLag.record(lagSeconds, labelsOf(endpoint))
      }
      if (isClaimLost) {
        lostClaims.add(1, endpoint)
      }
    },

    retried: ({ endpoint }) => retries.add(1, endpoint),

    died: ({ endpoint, type }) => deaths.add(1, endpoint, type),

    watch: (health) => watchInbox(meter, health),
  }

  let standard: Metrics['ran'] | undefined
  return {
    own,
    messaging() {
      standard ??= messagingMetrics(meter)
      return standard
    },
  }
}

/** A counter that the SDK reads. */
function counted(
  meter: Meter,
  name: string,
  options: { readonly description: string; readonly unit: string },
  labels: readonly string[],
): Tally {
  const tally = new Tally(...labels)
  meter.createObservableCounter(name, options).addCallback((result) => tally.observe(result))
  return tally
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
function messagingMetrics(meter: Meter): Metrics['ran'] {
  const duration = meter.createHistogram(
    'messaging.process.duration',
    seconds('Duration of processing operation.', runBuckets),
  )
  const description = 'Number of messages that were delivered to the application.'
  const labels = [...Object.keys(messaging('process', '')), 'error.type']
  const consumed = counted(
    meter,
    'messaging.client.consumed.messages',
    { description, unit: '{message}' },
    labels,
  )
  return ({ endpoint }, { handlerSeconds, result }) => {
    if (handlerSeconds === undefined) {
      return
    }
    const error = errorType(result)
    const attributes = messaging('process', endpoint)
    if (error !== undefined) {
      attributes['error.type'] = error
    }
    duration.record(handlerSeconds, attributes)
    consumed.add(1, ...(Object.values(attributes) as string[]))
  }
}
