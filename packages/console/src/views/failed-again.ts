import type { BulkRun, Run } from 'webhook-inbox'

/** The states of more events are not counted for each run of a list. */
const most = 1000

/** Whether a list says how many events of a run failed again. */
export const isCounted = ({ action, applied }: Run): boolean =>
  (action === 'replay' || action === 'retryNow') && applied > 0 && applied <= most

/** How many events of a run are failed or dead now. */
export async function failedAgain(
  handle: BulkRun,
  { applied }: Run,
): Promise<{ readonly failedAgain: number }> {
  const { failed, dead } = await handle.appliedStates()
  // The states can be newer than the run.
  return { failedAgain: Math.min(applied, failed + dead) }
}
