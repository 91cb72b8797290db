import type { AuditEntry } from 'webhook-inbox'
import type { AuditRow, Page } from '../wire.js'
import { cursorOf, limitOf, type Route } from './route.js'

export const auditRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/audits',
    action: 'audits:read',
    async run({ receiver, query }): Promise<Page<AuditRow>> {
      const limit = limitOf(query)
      const found = await receiver.audits({ limit: limit + 1, after: cursorOf(query) })
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      return { rows: rows.map(auditRow), ...(found.length > limit && last && { next: last.id }) }
    },
  },
]

/**
 * An entry of the log without the keys of the store. A discard of a quarantined delivery has the id of the stored event too,
 * but did not touch that event. Only the key of a delivery contains a slash.
 */
export const auditRow = (entry: AuditEntry): AuditRow => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  actor: entry.actor,
  reason: entry.reason,
  ...(entry.eventId !== undefined && { eventId: entry.eventId }),
  ...(entry.key?.includes('/') && { isOfDelivery: true }),
  ...(entry.subject !== undefined && { subject: entry.subject }),
  ...(entry.run !== undefined && { run: entry.run }),
})
