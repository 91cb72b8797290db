import type { Receiver } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'
import { auditRow } from './audit-row.js'

/** How many of the newest audits are read. The log finds an event by its id, and no delivery by its key. */
const mostRead = 500
/** How many releases of one delivery a view shows. */
const mostReleases = 20

/** What operators did to a quarantined delivery, newest first, as far as the newest audits have it. */
export async function auditsOfDelivery(receiver: Receiver, key: string): Promise<readonly AuditRow[]> {
  const audits = await receiver.audits({ limit: mostRead })
  // The entry of a release belongs to the event that the delivery became.
  const about = await receiver.audits({ subject: key, limit: mostReleases })
  const releases = about.filter(({ action }) => action === 'verifyAgain')
  return [...audits.filter((entry) => entry.key === key), ...releases]
    .toSorted((a, b) => Number(b.id) - Number(a.id))
    .map(auditRow)
}
