import { type AuditEntry, isDeliveryKey } from 'webhook-inbox'
import { AuditLines } from '../views/audit-lines.js'
import type { AuditRow, Page } from '../wire.js'
import { searchAudits } from './audit-search.js'
import { limitOf, type Route } from './route.js'

export const auditRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/audits',
    action: 'audits:read',
    async run(call): Promise<Page<AuditRow>> {
      const { query, receiver } = call
      const lines = new AuditLines(Boolean(query.get('run') || query.get('single')))
      const { searched, ...next } = await searchAudits(call, limitOf(query), lines)
      const isSearch = ['actor', 'action', 'since', 'until'].some((name) => query.get(name))
      return { rows: await lines.rows(receiver, auditRow), ...next, ...(isSearch && { searched }) }
    },
  },
]

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
