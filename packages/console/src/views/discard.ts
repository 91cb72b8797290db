import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { Resolved } from '../options.js'
import type { Discard, Discarded } from '../wire.js'
import { errorClass } from './error-class.js'
import { masked } from './mask.js'

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

/** What is known of a discarded event. Without its body a mask cannot find its values in the resource and in the error. */
export async function eventWas(
  receiver: Receiver,
  id: string,
  { mask }: Pick<Resolved, 'mask'>,
): Promise<Discarded['was']> {
  const [found] = await receiver.undoable(id, { kind: 'event', limit: 1 })
  if (found?.type === undefined) {
    return undefined
  }
  const { type, resource, lastError } = found
  return {
    type,
    ...(resource !== undefined && { resource: mask ? masked : resource }),
    ...(lastError !== undefined && { lastError: mask ? errorClass(lastError) : lastError }),
  }
}
