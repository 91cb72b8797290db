import type { Receiver, StoredEvent } from 'webhook-inbox'
import { printable } from '../printable.js'

/** Says that an edited copy of an event is done, or is to run. `undefined` if there is none. */
export async function editedCopy(
  receiver: Receiver,
  { id }: Pick<StoredEvent, 'id'>,
): Promise<string | undefined> {
  const copies = await receiver.list({ parent: id, order: 'newest', bodies: false })
  const copy = copies.find(({ state }) => state !== 'dead')
  return copy && `its edited copy ${printable(copy.id)} is ${copy.state}`
}
