import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { Discard } from '../wire.js'

/**
 * When an event or a delivery was discarded, by whom if `isNamed`, and until when `undo` can restore it. `undefined` if it was
 * not discarded.
 */
export async function discardOf(
  receiver: Receiver,
  idOrKey: string,
  isNamed: boolean,
): Promise<Discard | undefined> {
  const explanation = await ifSupported(() => receiver.explain(idOrKey))
  if (explanation?.reason !== 'discarded') {
    return undefined
  }
  const { discardedAt, actor, undoUntil } = explanation
  return { at: discardedAt, ...(isNamed && { actor }), ...(undoUntil !== undefined && { undoUntil }) }
}
