import type { BulkRun, Run } from 'webhook-inbox'

/** How many events of a canary are named. */
const most = 20
/** How many events of a canary are read. */
const mostRead = 50

/** The events of its canary that are dead or failed now. Empty for a run whose canary has not failed. */
export async function canaryFailed(
  handle: BulkRun,
  { canary, note }: Run,
): Promise<{ readonly canaryFailed?: readonly string[] }> {
  // A run has a note only if its canary failed.
  if (note === undefined || canary === 0) {
    return {}
  }
  const applied = await handle.applied({ limit: Math.min(canary, mostRead) })
  const failed = applied.filter(({ state }) => state === 'dead' || state === 'failed')
  return { canaryFailed: failed.slice(0, most).map(({ eventId }) => eventId) }
}
