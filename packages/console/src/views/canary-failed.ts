import type { BulkRun, Receiver, Run } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { RunDetail } from '../wire.js'
import { eventRow } from './event-row.js'

/** How many events of a canary are named. */
const most = 20
/** How many events of a canary are read. */
const mostRead = 50

/**
 * The events of its canary that failed again, and, as long as the run is stopped, the error of the first. Empty for a run
 * whose canary has not failed.
 */
export async function canaryFailed(
  receiver: Receiver,
  options: Resolved,
  handle: BulkRun,
  { canary, note, state }: Run,
): Promise<Pick<RunDetail, 'canaryFailed' | 'canaryError'>> {
  // A run has a note only if its canary failed.
  if (note === undefined || canary === 0) {
    return {}
  }
  const applied = await handle.applied({ limit: Math.min(canary, mostRead) })
  const failed = applied.filter(({ state }) => state === 'dead' || state === 'failed')
  const [first] = failed
  const event = first && state === 'stopped' && (await receiver.inspect(first.eventId))
  const { lastError } = event ? eventRow(event, options) : {}
  return {
    canaryFailed: failed.slice(0, most).map(({ eventId }) => eventId),
    ...(lastError !== undefined && { canaryError: lastError }),
  }
}
