import type { Receiver, Run } from 'webhook-inbox'
import type { RunDetail } from '../wire.js'

/** How many of the discarded events are read to find out who restored them. */
const most = 5

/** Until when the discards of a run can be undone, and who has undone them. Empty for a run that discarded nothing. */
export async function runUndo(
  receiver: Receiver,
  { id, action, applied }: Run,
): Promise<Pick<RunDetail, 'undoUntil' | 'undone'>> {
  if (action !== 'discard' || applied === 0) {
    return {}
  }
  const left = (await receiver.undoable(id, { limit: most })).find(({ isReplaced }) => !isReplaced)
  if (left) {
    return { undoUntil: left.undoUntil }
  }
  const audits = await receiver.audits({ run: id, limit: most })
  const ids = audits.flatMap(({ action, eventId }) => (action === 'discard' && eventId ? [eventId] : []))
  const lasts = await Promise.all(ids.map((eventId) => lastOf(receiver, eventId)))
  const [undo] = lasts
  if (!undo || lasts.some((last) => last?.action !== 'undo')) {
    return {}
  }
  const { at, actor, reason } = undo
  return { undone: { at, actor, reason } }
}

/** The last discard of an event, or the undo that followed it. */
const lastOf = async (receiver: Receiver, eventId: string) =>
  (await receiver.audits({ eventId })).find(({ action }) => action === 'discard' || action === 'undo')
