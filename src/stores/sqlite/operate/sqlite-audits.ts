import type { AuditEntry, AuditLog, AuditRecord } from '../../../store/audit-log.js'
import type { InboxState } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'

const insert = `
  INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, subject, run, reason, actor, was)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const outside = ['endpoint', 'key', 'event_id', 'subject', 'run', 'reason', 'actor'].map(asBytes)
const columns = `seq, at, action, ${outside.join(', ')}`

type Text = Uint8Array | ArrayBuffer | null

interface Row {
  readonly seq: number
  readonly at: number
  readonly action: AuditRecord['action']
  readonly endpoint: Text
  readonly key: Text
  readonly event_id: Text
  readonly subject: Text
  readonly run: Text
  readonly reason: Uint8Array
  readonly actor: Uint8Array
}

/** Records a change, and the state that the event had before. Only within the `write` that makes the change. */
export function recordAudit<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  { action, endpoint, key, eventId, subject, run, reason, actor }: AuditRecord,
  was?: InboxState,
): void {
  const about = [endpoint, key, eventId, subject, run].map((value) => value ?? null)
  connection.run(insert, Date.now(), action, ...about, plainReason(reason), plainReason(actor), was ?? null)
}

/** The log of what operators did, newest first. */
export function sqliteAudits<Database extends SqliteDatabase>(connection: Connection<Database>): AuditLog {
  return {
    async list({ endpoint, limit = 100, after, key, subject, run }) {
      const where = ['true']
      const values: SqliteValue[] = []
      for (const [condition, value] of [
        ['endpoint = ?', endpoint],
        ['key = ?', key],
        ['subject = ?', subject],
        ['run = ?', run],
        ['seq < CAST(? AS INTEGER)', after],
      ] as const) {
        if (value !== undefined) {
          where.push(condition)
          values.push(value)
        }
      }
      const sql = `SELECT ${columns} FROM webhook_inbox_audits WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ?`
      const found = await connection.read('list the audits', () => connection.all<Row>(sql, ...values, limit))
      return found.map(toEntry)
    },
  }
}

function toEntry(row: Row): AuditEntry {
  return {
    id: String(row.seq),
    at: time(row.at),
    action: row.action,
    ...(row.endpoint && { endpoint: text(row.endpoint) }),
    ...(row.key && { key: text(row.key) }),
    ...(row.event_id && { eventId: text(row.event_id) }),
    ...(row.subject && { subject: text(row.subject) }),
    ...(row.run && { run: text(row.run) }),
    reason: text(row.reason),
    actor: text(row.actor),
  }
}
