import type { Receiver } from 'webhook-inbox'
import { discardOf } from './discard.js'

/**
 * What to know of the event whose id a delivery in quarantine has: that it was discarded, and by whom if `isNamed`. Empty
 * otherwise.
 */
export async function originalOf(
  receiver: Receiver,
  eventId: string | undefined,
  isNamed: boolean,
): Promise<{ readonly original?: string }> {
  const discard = eventId === undefined ? undefined : await discardOf(receiver, eventId, isNamed)
  if (!discard) {
    return {}
  }
  const by = discard.actor === undefined ? '' : ` by ${discard.actor}`
  const next = discard.undoUntil
    ? ' If this delivery becomes an event, that discard can no longer be undone.'
    : ''
  return { original: `The event with this id was discarded${by}.${next}` }
}
