import type { EventRef } from '../../../store/event-ref.js'
import type { OnceOutcome } from '../../../store/store.js'
import { fromText } from '../connection/text.js'
import type { Row } from '../connection/transactions.js'

/** Another delivery has the event, or may have it. */
export const busy = { state: 'busy', retryAfterSeconds: 1 } as const

/** The outcome for an event that cannot be claimed; `undefined` if it is not known yet. */
export function outcomeOf(row: Row | undefined, event: EventRef): OnceOutcome<never> | undefined {
  if (!row) {
    return undefined
  }
  if (row.state === 'dead') {
    return { state: 'busy', retryAfterSeconds: event.durations.leaseSeconds }
  }
  const contentHash = fromText(row.content_hash)
  // After an acknowledgment, other content under this id is a different event, even if the first one is not done.
  if (row.state === 'done' || contentHash !== event.contentHash) {
    return { state: 'duplicate', contentHash }
  }
  return undefined
}
