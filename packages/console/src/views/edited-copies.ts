import type { Receiver, StoredEvent } from 'webhook-inbox'

/** It reads this many versions of an event, and names this many copies. */
const [mostRead, most] = [100, 5]

/** The ids of the newest edited copies of an event. `undefined` if there is none. */
export async function editedCopies(
  receiver: Receiver,
  { id, root }: StoredEvent,
): Promise<readonly string[] | undefined> {
  if (root === undefined) {
    return undefined
  }
  const versions = await receiver.list({ root, order: 'newest', limit: mostRead, bodies: false })
  const copies = versions.filter(({ parent }) => parent === id).map((copy) => copy.id)
  return copies.length > 0 ? copies.slice(0, most) : undefined
}
