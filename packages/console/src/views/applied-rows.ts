import { setImmediate } from 'node:timers/promises'
import type { Receiver } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { AppliedRow } from '../wire.js'
import { eventRow } from './event-row.js'

/** Events that a run changed, one page of them. Those that are failed or dead with why, and with their next attempt. */
export async function appliedRows(
  receiver: Receiver,
  options: Resolved,
  applied: readonly AppliedRow[],
): Promise<AppliedRow[]> {
  const rows: AppliedRow[] = []
  for (const { eventId, state, isChangedSince } of applied) {
    const hasFailed = !isChangedSince && (state === 'failed' || state === 'dead')
    const event = hasFailed ? await receiver.inspect(eventId) : undefined
    const { lastError, retryAt } = event ? eventRow(event, options) : {}
    rows.push({
      eventId,
      state,
      isChangedSince,
      ...(lastError !== undefined && { lastError }),
      ...(retryAt !== undefined && { retryAt }),
    })
    // A mask takes time for each row, and the process also serves deliveries.
    await setImmediate()
  }
  return rows
}
