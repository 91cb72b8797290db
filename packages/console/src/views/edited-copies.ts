import type { Receiver, StoredEvent } from 'webhook-inbox'

/** How many copies are named. */
const most = 5

/** The ids of the newest edited copies of an event. `undefined` if there is none. */
export async function editedCopies(
  receiver: Receiver,
  { id }: StoredEvent,
): Promise<readonly string[] | undefined> {
  const copies = await receiver.list({ parent: id, order: 'newest', limit: most, bodies: false })
  return copies.length > 0 ? copies.map((copy) => copy.id) : undefined
}
