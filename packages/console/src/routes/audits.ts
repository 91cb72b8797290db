import { AuditLines } from '../views/audit-lines.js'
import { auditRow } from '../views/audit-row.js'
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
