import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import type { GroupDetail } from '../wire.js'
import { shapeChangeRows } from './shape-change.js'

export type SinceSuccess = Pick<GroupDetail, 'lastSuccessAt' | 'shapeChanges'>

/** When an event of the same type was last done, and how this event differs from it. Empty if none is kept. */
export async function sinceSuccess(
  receiver: Receiver,
  options: Pick<Resolved, 'mask'>,
  { id, type }: StoredEvent,
): Promise<SinceSuccess> {
  const [success] = await receiver.list({ type, state: 'done', order: 'newest', limit: 1, bodies: false })
  const changes = success && (await receiver.shapeChanges(id))
  return {
    ...(success?.doneAt !== undefined && { lastSuccessAt: success.doneAt }),
    ...(changes && { shapeChanges: shapeChangeRows(changes, options) }),
  }
}
