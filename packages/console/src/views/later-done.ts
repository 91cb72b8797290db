import { setImmediate } from 'node:timers/promises'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { LaterDone } from '../wire.js'

/** A dialog that warns needs no larger number. */
const most = 10

/**
 * How many events of the same resource arrived later and are done, at most ten. A replay of this event would run after them.
 * `undefined` if there is none.
 */
export async function laterDone(receiver: Receiver, event: StoredEvent): Promise<number | undefined> {
  const { resource, receivedAt } = event
  if (resource === undefined) {
    return undefined
  }
  const since = new Date(receivedAt)
  const found = await receiver.list({ resource, state: 'done', since, limit: most + 1, bodies: false })
  return Math.min(found.filter(isLaterThan(event)).length, most) || undefined
}

/** A replay of many events looks for the newest done events of so many resources: one search of an index for each. */
const mostResources = 200

/** Of how many of these events, the oldest first, a later event of the same resource is done. `isCapped` if there are more. */
export async function laterDoneOfMany(
  receiver: Receiver,
  events: readonly StoredEvent[],
  isCapped: boolean,
): Promise<LaterDone> {
  const newest = new Map<string, readonly StoredEvent[]>()
  let count = 0
  for (const [lookedAt, event] of events.entries()) {
    const { resource } = event
    if (resource === undefined) {
      continue
    }
    if (!newest.has(resource)) {
      if (newest.size === mostResources) {
        return { count, lookedAt, isCapped: true }
      }
      // Two, because the newest one may be the event itself.
      newest.set(
        resource,
        await receiver.list({ resource, state: 'done', order: 'newest', limit: 2, bodies: false }),
      )
      // The process also serves deliveries.
      await setImmediate()
    }
    count += newest.get(resource)?.some(isLaterThan(event)) ? 1 : 0
  }
  return { count, lookedAt: events.length, isCapped }
}

const isLaterThan = (event: StoredEvent) => (other: StoredEvent) =>
  other.key !== event.key && Date.parse(other.receivedAt) >= Date.parse(event.receivedAt)
