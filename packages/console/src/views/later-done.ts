import { setImmediate } from 'node:timers/promises'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import type { LaterDone } from '../wire.js'

/** A dialog that warns needs no larger number. */
const most = 10

/**
 * How many events of the same resource arrived later and are done, at most ten. A replay of this event would run after them. An
 * edited copy of it is none of them. `undefined` if there is none.
 */
export async function laterDone(receiver: Receiver, event: StoredEvent): Promise<number | undefined> {
  return (await doneAfter(receiver, event, most)).length || undefined
}

/** The done events of its resource that the inbox lists after this one: also those of the same millisecond. */
async function doneAfter(receiver: Receiver, event: StoredEvent, limit: number) {
  const { resource, key, root } = event
  if (resource === undefined) {
    return []
  }
  // An event has a root if it or a version of it was edited.
  const read = root === undefined ? limit : limit + mostCopies
  const found = await receiver.list({ resource, state: 'done', after: key, limit: read, bodies: false })
  return found.filter(isNoCopyOf(event)).slice(0, limit)
}

/** So many done copies of an event are left out. */
const mostCopies = 100

/** A copy is told of as such. */
const isNoCopyOf =
  ({ id }: StoredEvent) =>
  ({ parent }: StoredEvent) =>
    parent !== id

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
    count += (await isAnyLater(receiver, event, newest.get(resource) ?? [])) ? 1 : 0
  }
  return { count, lookedAt: events.length, isCapped }
}

/** The times tell it, except within a millisecond. */
async function isAnyLater(receiver: Receiver, event: StoredEvent, newest: readonly StoredEvent[]) {
  const at = Date.parse(event.receivedAt)
  const others = newest.filter(({ key }) => key !== event.key)
  const after = others.filter(isNoCopyOf(event)).map((other) => Date.parse(other.receivedAt) - at)
  // Behind a copy there may be a third.
  const isOpen = after.includes(0) || after.length < others.length
  return after.some((later) => later > 0) || (isOpen && (await doneAfter(receiver, event, 1)).length > 0)
}
