import type { Receiver } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'
import { auditRow } from './audit-row.js'

/** How many of the newest audits are read. The log finds an event by its id, and no delivery by its key. */
const mostRead = 500

/** What operators did to a quarantined delivery, newest first, as far as the newest audits have it. */
export async function auditsOfDelivery(receiver: Receiver, key: string): Promise<readonly AuditRow[]> {
  const audits = await receiver.audits({ limit: mostRead })
  return audits.filter((entry) => entry.key === key).map(auditRow)
}
