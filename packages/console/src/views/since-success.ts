import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { GroupDetail } from '../wire.js'
import { shapeChangeRows } from './shape-change.js'

export type SinceSuccess = Pick<GroupDetail, 'lastSuccessAt' | 'shapeChanges'>

/** A store finds events by their arrival. An older event that was replayed may have ended later than the newest one. */
const mostRead = 100

/** When an event of the same type was last done, among the newest of them, and how this event differs from it. Empty if none is kept. */
export async function sinceSuccess(
  receiver: Receiver,
  options: Pick<Resolved, 'mask'>,
  { id, type }: StoredEvent,
): Promise<SinceSuccess> {
  const done = await receiver.list({ type, state: 'done', order: 'newest', limit: mostRead, bodies: false })
  const times = done.flatMap(({ doneAt }) => doneAt ?? [])
  const lastSuccessAt = times.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0]
  const changes = done.length > 0 && (await receiver.shapeChanges(id))
  return {
    ...(lastSuccessAt !== undefined && { lastSuccessAt }),
    ...(changes && { shapeChanges: shapeChangeRows(changes, options) }),
  }
}
