import type { FailureCount } from '../../../store/inbox.js'

/** Whether the event has failed no more often than a worker saw, and was not replayed since. `?` the generation, twice, and the failures. */
const isAt = '(? IS NULL OR (generation = ? AND failures = ?))'

export const countOf = (at: FailureCount | undefined) =>
  [at?.generation ?? null, at?.generation ?? null, at?.failures ?? null] as const

export const postpone = `
  UPDATE webhook_inbox_events SET state = 'failed', failures = failures + 1, due_at = ?, scheduled_at = ?,
    last_error = ?
  WHERE key = ? AND state IN ('accepted', 'failed') AND ${isAt}`

export const markDead = `
  UPDATE webhook_inbox_events SET state = 'dead', failures = failures + 1, last_error = ?
  WHERE key = ? AND state IN ('accepted', 'failed') AND ${isAt}`
