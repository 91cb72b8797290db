import type { Receiver, StoredEvent } from 'webhook-inbox'

/** The ids of the edited copies of an event. Without them two operators at the same time could each run another version. */
export async function copiesOf(
  receiver: Receiver,
  { id, root }: Pick<StoredEvent, 'id' | 'root'>,
): Promise<readonly string[]> {
  const versions = root === undefined ? [] : await receiver.list({ root, order: 'newest', bodies: false })
  return versions.filter(({ parent }) => parent === id).map((copy) => copy.id)
}
