import { type AuditEntry, isDeliveryKey } from 'webhook-inbox'
import type { AuditRow } from '../wire.js'

/**
 * An entry of the log without the keys of the store. A discard of a quarantined delivery has the id of the stored event too,
 * but did not touch that event.
 */
export const auditRow = (entry: AuditEntry): AuditRow => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  actor: entry.actor,
  reason: entry.reason,
  ...(entry.eventId !== undefined && { eventId: entry.eventId }),
  ...(isDeliveryKey(entry.key ?? '', entry.endpoint ?? '') && { isOfDelivery: true }),
  ...(entry.subject !== undefined && { subject: entry.subject }),
  ...(entry.run !== undefined && { run: entry.run }),
})
