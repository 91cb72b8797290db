import type { Durations } from '../../../store/event-ref.js'
import { type Limits, ms } from '../connection/transactions.js'
import { limitsOf } from './event-values.js'

/** How long the event is kept, in seconds, and in milliseconds how long a statement of its handler may run or wait for a lock. */
export const claimTerms = (durations: Durations) => [
  Math.min(durations.retentionSeconds, longestRetention),
  String(ms(limitsOf(durations).idleSeconds)),
]

/** A century: longer than any retention, and within what a timestamp can represent. */
const longestRetention = 3_155_760_000

/**
 * For the claim of an event of the inbox. A search holds the rows that it finds for a moment, and a worker waits for that. It does
 * not wait for another worker that runs the event.
 */
export const limitsOfKept = (durations: Durations): Limits => ({ ...limitsOf(durations), lockSeconds: 0.05 })
