import { setImmediate } from 'node:timers/promises'
import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { EventRow } from '../wire.js'
import { givenUpOf, mayBeGivenUp } from './given-up.js'

/** A list explains so many events, because each needs a few queries. The oldest run first, so they have most to say. */
const mostExplained = 20

/** What is guessed from missing reports of the processes. */
export const needsReports: readonly string[] = ['no_worker', 'stalled']

/** Rows of a list with why each open event does not run, and whether a person gave a dead one up. */
export async function withNotes(
  receiver: Receiver,
  rows: readonly EventRow[],
  mayMissReports: boolean,
): Promise<EventRow[]> {
  const explained = new Set(rows.filter(isDue).slice(-mostExplained))
  const found: EventRow[] = []
  for (const row of rows) {
    const why = explained.has(row) ? (await ifSupported(() => receiver.explain(row.id)))?.reason : undefined
    const isGivenUp = mayBeGivenUp(row) && (await givenUpOf(receiver, row, false)) !== undefined
    found.push({
      ...row,
      ...(why !== undefined && !(mayMissReports && needsReports.includes(why)) && { why }),
      ...(isGivenUp && { isGivenUp }),
    })
    // The process also serves deliveries.
    await setImmediate()
  }
  return found
}

/** Whether it runs, or would run if nothing held it. */
const isDue = ({ state, retryAt = '' }: EventRow): boolean =>
  state === 'accepted' || (state === 'failed' && Date.parse(retryAt) <= Date.now())
