import type { Plan, Receiver } from 'webhook-inbox'
import { statesOf } from '../bulk-actions.js'
import type { BulkAction } from '../wire.js'

/** How many of the newest deliveries in quarantine are compared with the events of a plan. */
const mostCompared = 100

/** Says that events of a plan have a delivery with the same id in quarantine. `undefined` if none of the newest is one. */
export async function quarantinedWords(
  receiver: Receiver,
  action: BulkAction,
  { key: _, ...where }: Plan['where'],
): Promise<string | undefined> {
  const deliveries = await receiver.quarantined({ limit: mostCompared, bodies: false })
  const ids = new Set(deliveries.flatMap(({ eventId }) => (eventId === undefined ? [] : [eventId])))
  const [found] = deliveries
  let count = 0
  for (const id of ids) {
    for (const state of statesOf(action, where.state)) {
      count += (await receiver.list({ ...where, id, state, limit: 1, bodies: false })).length
    }
  }
  if (!found || count === 0) {
    return undefined
  }
  const least = deliveries.length === mostCompared ? 'At least ' : ''
  const which = count === 1 ? '1 of these events has' : `${count} of these events have`
  return `${least}${which} another delivery with the same id in quarantine. Compare the two first: only the stored event is changed here.`
}
