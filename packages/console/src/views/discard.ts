import type { Receiver } from 'webhook-inbox'
import type { Discard } from '../wire.js'

/** Who discarded an event or a delivery, and until when `undo` can restore it. `undefined` if it was not discarded. */
export async function discardOf(receiver: Receiver, idOrKey: string): Promise<Discard | undefined> {
  try {
    const explanation = await receiver.explain(idOrKey)
    if (explanation.reason !== 'discarded') {
      return undefined
    }
    const { discardedAt, actor, undoUntil } = explanation
    return { at: discardedAt, actor, ...(undoUntil !== undefined && { undoUntil }) }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'invalid_store') {
      return undefined
    }
    throw error
  }
}
