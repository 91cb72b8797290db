import type { Receiver, StoredEvent } from 'webhook-inbox'

/** How many of the newest audits are read. */
const mostAudits = 500
/** How many copies are named. */
const most = 5

/** The ids of the newest edited copies of an event, as far as the newest audits tell. `undefined` if there is none. */
export async function editedCopies(
  receiver: Receiver,
  { id }: StoredEvent,
): Promise<readonly string[] | undefined> {
  const audits = await receiver.audits({ limit: mostAudits })
  const copies = audits.flatMap(({ action, subject, eventId }) =>
    action === 'replayEdited' && subject === id && eventId !== undefined ? [eventId] : [],
  )
  return copies.length > 0 ? copies.slice(0, most) : undefined
}
