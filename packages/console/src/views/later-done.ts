import type { Receiver, StoredEvent } from 'webhook-inbox'

/** A dialog that warns needs no larger number. */
const most = 10

/**
 * How many events of the same resource arrived later and are done, at most ten. A replay of this event would run after them.
 * `undefined` if there is none.
 */
export async function laterDone(
  receiver: Receiver,
  { id, resource, receivedAt }: StoredEvent,
): Promise<number | undefined> {
  if (resource === undefined) {
    return undefined
  }
  const since = new Date(receivedAt)
  const found = await receiver.list({ resource, state: 'done', since, limit: most + 1, bodies: false })
  return Math.min(found.filter((event) => event.id !== id).length, most) || undefined
}
