import type { Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { InQuarantine } from '../wire.js'

/** The newest delivery in quarantine that has this id, also if an event with the id is kept or was discarded. */
export async function inQuarantine(
  receiver: Receiver,
  eventId: string,
  explained: Pick<Receiver, 'explain'> = receiver,
): Promise<InQuarantine['quarantined'] | undefined> {
  const [delivery] = await receiver.quarantined({ eventId, limit: 1, bodies: false })
  // A store of somebody else may not know this condition.
  if (delivery?.eventId === eventId) {
    return { code: delivery.code, key: delivery.key }
  }
  // The id may also be the key of a delivery.
  const found = await ifSupported(() => explained.explain(eventId))
  return found?.reason === 'quarantined' ? { code: found.code, key: eventId } : undefined
}
