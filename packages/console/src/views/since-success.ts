import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { GroupDetail } from '../wire.js'
import { shapeChangeRows } from './shape-change.js'

export type SinceSuccess = Pick<GroupDetail, 'lastSuccess' | 'lastSuccessAt' | 'shapeChanges'>

/** A store finds events by their arrival. An older event that was replayed may have ended later than the newest one. */
const mostRead = 100

/** The event of the same type that was done last, among the newest of them, and how this event differs from it. Empty if none is kept. */
export async function sinceSuccess(
  receiver: Receiver,
  options: Pick<Resolved, 'mask'>,
  { id, type }: StoredEvent,
): Promise<SinceSuccess> {
  const done = await receiver.list({ type, state: 'done', order: 'newest', limit: mostRead, bodies: false })
  const [last] = done.toSorted((a, b) => endOf(b) - endOf(a))
  if (!last) {
    return {}
  }
  const changes = await receiver.shapeChanges(id, { since: last.id })
  return {
    lastSuccess: last.id,
    ...(last.doneAt !== undefined && { lastSuccessAt: last.doneAt }),
    shapeChanges: shapeChangeRows(changes, options),
  }
}

const endOf = ({ doneAt = '' }: StoredEvent): number => Date.parse(doneAt) || 0
