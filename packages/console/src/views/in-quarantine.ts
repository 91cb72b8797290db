import type { Code, Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { InQuarantine } from '../wire.js'

/** A delivery is looked for among so many with its code. It is the default limit of a quarantine. */
const mostRead = 10_000

/**
 * The delivery in quarantine that has this id, also if an event with the id is kept or was discarded. `undefined` if there is
 * none, or if the store cannot say it.
 */
export async function inQuarantine(
  receiver: Receiver,
  eventId: string,
  explained: Pick<Receiver, 'explain'> = receiver,
): Promise<InQuarantine['quarantined'] | undefined> {
  const found = await ifSupported(() => explained.explain(eventId))
  const code = found?.reason === 'quarantined' ? found.code : found?.alsoQuarantined
  if (code === undefined) {
    return undefined
  }
  const deliveries = await receiver.quarantined({ code: code as Code, limit: mostRead, bodies: false })
  // The id may also be the key of a delivery.
  const delivery = deliveries.find((each) => each.eventId === eventId || each.key === eventId)
  return { code, ...(delivery && { key: delivery.key }) }
}
