import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Telemetry } from 'webhook-inbox'

/**
 * A telemetry of your own, here on prom-client. A client of another metrics service, such as Datadog, takes its place line by
 * line. Every label has few values. An id, a URL or the message of an error must never become one.
 */
export function promClientTelemetry(registry: Registry): Telemetry {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Deliveries by their outcome.',
    labelNames: ['endpoint', 'outcome', 'code', 'type'],
    registers,
  })
  const runs = new Histogram({
    name: 'webhook_run_seconds',
    help: 'How long handlers ran.',
    labelNames: ['endpoint', 'type', 'code'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  })
  const deaths = new Counter({
    name: 'webhook_deaths_total',
    help: 'Events that no retry could help.',
    labelNames: ['endpoint', 'type'],
    registers,
  })

  return {
    delivered({ endpoint, type = '', result }) {
      deliveries.inc({ endpoint, outcome: result.outcome, code: result.code ?? '', type })
    },

    running: ({ endpoint, type }) => ({
      end({ handlerSeconds, result }) {
        if (handlerSeconds !== undefined) {
          runs.observe({ endpoint, type, code: result.code ?? '' }, handlerSeconds)
        }
      },
    }),

    died: ({ endpoint, type }) => deaths.inc({ endpoint, type }),

    /** Called by `start()` where the store has an inbox. The gauge asks the store whenever it is read. */
    watch(health) {
      const name = 'webhook_oldest_pending_seconds'
      new Gauge({
        name,
        help: 'How long the oldest pending event has waited.',
        registers,
        async collect() {
          this.set((await health()).oldestUnprocessedSeconds)
        },
      })
      return () => registry.removeSingleMetric(name)
    },
  }
}
