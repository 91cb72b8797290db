import type { Receiver, Run } from 'webhook-inbox'

/** How many discards are read to find one that can be restored. Later deliveries may have replaced the others. */
const most = 5

/** Until when the discards of a run can be undone. Empty if nothing can be restored. */
export async function runUndo(
  receiver: Receiver,
  { id, action, applied }: Run,
): Promise<{ readonly undoUntil?: string }> {
  if (action !== 'discard' || applied === 0) {
    return {}
  }
  const left = (await receiver.undoable(id, { limit: most })).find(({ isReplaced }) => !isReplaced)
  return left ? { undoUntil: left.undoUntil } : {}
}
