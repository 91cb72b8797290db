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

/** An entry of the log without the keys of the store. */
export const auditRow = (entry: AuditRow): AuditRow => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  actor: entry.actor,
  reason: entry.reason,
  ...(entry.eventId !== undefined && { eventId: entry.eventId }),
  ...(entry.subject !== undefined && { subject: entry.subject }),
  ...(entry.run !== undefined && { run: entry.run }),
})
