import type { Receiver } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'
import { auditRow } from './audit-row.js'

/** How many audits of one event a view shows. */
const most = 20

/** What operators did to an event or a delivery, newest first, and which edited copies they made of it. */
export async function auditsOfEvent(receiver: Receiver, id: string): Promise<readonly AuditRow[]> {
  const own = await receiver.audits({ eventId: id, limit: most })
  // The entry of a copy belongs to the copy.
  const about = await receiver.audits({ subject: id, limit: most })
  const copies = about.filter(({ action }) => action === 'replayEdited')
  return [...own, ...copies]
    .toSorted((a, b) => Number(b.id) - Number(a.id))
    .slice(0, most)
    .map(auditRow)
}
