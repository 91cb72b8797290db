import type { Pipeline } from '../options/settings.js'
import { likelyMilliseconds } from './likely-milliseconds.js'

/** Options that only events of a queue obey. */
const onlyQueued = ['resource', 'breaker', 'limits', 'priorities'] as const

/** How many connections deliveries and the queue need beside those of the handlers. */
const spareConnections = 3

/** What is probably wrong in settings that are valid, for the log of `start()`. */
export const startWarnings = (pipeline: Pipeline, consume: boolean): string[] => [
  ...idleOptions(pipeline),
  ...likelyMilliseconds(pipeline),
  ...(consume ? fewConnections(pipeline) : []),
]

/** Somebody who sets `resource` expects an order, and would notice only when two events are out of order. */
function idleOptions({ queue, ...settings }: Pipeline): string[] {
  const idle = onlyQueued.filter((name) => settings[name] !== undefined)
  return queue || idle.length === 0
    ? []
    : [`without a queue these options have no effect: ${idle.join(', ')}; fix: give a queue`]
}

/** The default pool of pg has as many clients as handlers run by default. So a delivery waits when all of them run. */
function fewConnections({ store: { connections }, queue }: Pipeline): string[] {
  const concurrency = queue?.concurrency
  if (connections === undefined || concurrency === undefined) {
    return []
  }
  const needed = concurrency + spareConnections
  const fact = `the pool of the store has ${connections} clients, but concurrency ${concurrency} needs ${needed}: one for each handler, and three more`
  const fix = 'fix: a larger max of the pool, or a lower concurrency of the queue'
  return connections < needed ? [`${fact}; otherwise deliveries wait until a handler ends; ${fix}`] : []
}
