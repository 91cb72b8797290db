import type { AuditEntry, AuditLog, AuditRecord } from '../../../store/audit-log.js'
import { plainReason } from '../../../store/reason.js'
import { fromText, toText } from '../connection/text.js'
import { timeColumn } from '../connection/time-column.js'
import type { Query, Row } from '../connection/transactions.js'

/** Records a change. `query` belongs to the transaction that makes the change. */
export async function recordAudit(
  query: Query,
  schema: string,
  { action, endpoint, key, eventId, subject, run, reason, actor }: AuditRecord,
): Promise<void> {
  const about = [endpoint, key && toText(key), eventId, subject, run].map((value) => value ?? null)
  await query(
    `INSERT INTO ${schema}.audits (action, endpoint, key, event_id, subject, run, reason, actor)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text)`,
    [action, ...about, plainReason(reason), plainReason(actor)],
  )
}

/** The log of what operators did, newest first. */
export function postgresAudits(query: Query, schema: string): AuditLog {
  return {
    async list({ endpoint, limit = 100, after, key, subject, run }) {
      const where = ['true']
      const values: unknown[] = [limit]
      for (const [condition, value] of [
        ['endpoint = ', endpoint],
        ['key = ', key === undefined ? undefined : toText(key)],
        ['subject = ', subject],
        ['run = ', run],
        ['seq < ', after],
      ] as const) {
        if (value !== undefined) {
          values.push(value)
          where.push(`${condition}$${values.length}::text${condition === 'seq < ' ? '::bigint' : ''}`)
        }
      }
      const sql = `
SELECT seq::text AS seq, ${timeColumn('at')}, action, endpoint, key,
  event_id, subject, run, reason, actor
FROM ${schema}.audits WHERE ${where.join(' AND ')} ORDER BY audits.seq DESC LIMIT $1::int`
      return (await query(sql, values)).map(toEntry)
    },
  }
}

const toEntry = (row: Row): AuditEntry => ({
  id: row.seq,
  at: row.at,
  action: row.action,
  ...(row.endpoint !== null && { endpoint: row.endpoint }),
  ...(row.key !== null && { key: fromText(row.key) }),
  ...(row.event_id !== null && { eventId: row.event_id }),
  ...(row.subject !== null && { subject: row.subject }),
  ...(row.run !== null && { run: row.run }),
  reason: row.reason,
  actor: row.actor,
})
