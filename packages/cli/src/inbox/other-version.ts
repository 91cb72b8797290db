import type { Receiver, StoredEvent } from 'webhook-inbox'
import { printable } from '../printable.js'

/** Says that the original or an edited copy of an event is done, or is to run. `undefined` if there is none. */
export async function otherVersion(
  receiver: Receiver,
  { id, root }: Pick<StoredEvent, 'id' | 'root'>,
): Promise<string | undefined> {
  if (root === undefined) {
    return undefined
  }
  const versions = await receiver.list({ root, order: 'newest', bodies: false })
  const other = versions.find((each) => each.id !== id && each.state !== 'dead')
  return (
    other && `its ${other.id === root ? 'original' : 'edited copy'} ${printable(other.id)} is ${other.state}`
  )
}
