import type { Telemetry } from '../../src/telemetry/telemetry.js'
import { clock, secret } from './deliver.js'

/** Options of a wait: a slow machine needs more than a second. */
export const patiently = { timeout: 15_000, interval: 20 }

/** The trace of a sender. */
export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

type Told = Record<'delivered' | 'storing' | 'stored' | 'running' | 'ran' | 'retried' | 'died', never[]>

/** A telemetry that records what it is told. */
export function recorder(over: Telemetry = {}) {
  const told: Told = { delivered: [], storing: [], stored: [], running: [], ran: [], retried: [], died: [] }
  const telemetry: Telemetry = {
    delivered: (report) => void told.delivered.push(report as never),
    storing(event) {
      told.storing.push(event as never)
      return {
        traceContext: `context of ${event.event.id}`,
        end: (report) => void told.stored.push(report as never),
      }
    },
    running(event) {
      told.running.push(event as never)
      return { end: (report) => void told.ran.push(report as never) }
    },
    retried: (report) => void told.retried.push(report as never),
    died: (report) => void told.died.push(report as never),
    ...over,
  }
  return { told, telemetry }
}

/** The options of every receiver here. */
export const common = { secret, now: clock, logger: false } as const
