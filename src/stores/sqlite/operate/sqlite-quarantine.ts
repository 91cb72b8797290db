import { StoreError } from '../../../errors.js'
import { eventChanged } from '../../../store/changed.js'
import { causeOfCode } from '../../../store/fingerprint.js'
import type { Inbox, QuarantineQuery } from '../../../store/inbox.js'
import { parseQuarantineKey, quarantineKey } from '../../../store/quarantined-delivery.js'
import { plainReason } from '../../../store/reason.js'
import { isAsSeen } from '../../../store/seen-event.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import * as rows from '../events/event-row.js'
import { cutLateLease } from '../events/late-lease.js'
import { valuesOf } from '../events/sqlite-leases.js'
import { joinGroup, noteGroup } from './sqlite-failures.js'
import { pruneInSteps } from './sqlite-prune-steps.js'
import { hideEvent, keepForUndo } from './sqlite-undo.js'

const isFull = `
  SELECT 1 FROM webhook_inbox_quarantine WHERE endpoint = ?
    AND NOT EXISTS (SELECT 1 FROM webhook_inbox_quarantine WHERE endpoint = ? AND content_hash = ?)
  LIMIT 1 OFFSET ?`

const insert = `
  INSERT INTO webhook_inbox_quarantine (endpoint, content_hash, code, event_id, received_at, body)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (endpoint, content_hash) DO UPDATE
  SET deliveries = deliveries + 1, event_id = coalesce(event_id, excluded.event_id)`

const list = (columns: string, order: QuarantineQuery['order']) => `
  SELECT ${columns} FROM webhook_inbox_quarantine
  WHERE endpoint = coalesce(?, endpoint) AND code = coalesce(?, code) AND event_id IS coalesce(?, event_id)
    AND ${order === 'oldest' ? 'seq > coalesce(?, 0) ORDER BY seq' : 'seq < coalesce(?, 9e18) ORDER BY seq DESC'} LIMIT ?`

const find = `
  SELECT ${rows.quarantineColumns} FROM webhook_inbox_quarantine WHERE endpoint = ? AND content_hash = ?`

const prune = `
  DELETE FROM webhook_inbox_quarantine WHERE seq IN (
    SELECT seq FROM webhook_inbox_quarantine WHERE received_at < ? ORDER BY received_at LIMIT ?)`

const known = `
  SELECT state, queued, lease_until, ${rows.asBytes('content_hash')}
  FROM webhook_inbox_events WHERE key = ?`

const insertDead = `
  INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, endpoint, id, type, created_at,
    content_hash, body, resource, last_error) VALUES ('dead', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// An accepted event does not change. An event without a job gets the new content.
const markAcceptedDead = `
  UPDATE webhook_inbox_events SET state = 'dead', last_error = ? WHERE key = ?`

const replaceByDead = `
  UPDATE webhook_inbox_events SET state = 'dead', last_error = ?, token = NULL, lease_until = 0, endpoint = ?, id = ?,
    type = ?, created_at = ?, content_hash = ?, body = ?, resource = ? WHERE key = ?`

const auditDelivery = `
  INSERT INTO webhook_inbox_discards (key, event_id, code, content_hash, reason, actor, discarded_at)
  SELECT ?, event_id, code, content_hash, ?, ?, ? FROM webhook_inbox_quarantine
  WHERE endpoint = ? AND content_hash = ?`

const deleteDelivery = 'DELETE FROM webhook_inbox_quarantine WHERE endpoint = ? AND content_hash = ?'

/** The time, and the key. */
const findDead = `
  SELECT lease_until > ? AS is_running FROM webhook_inbox_events WHERE key = ? AND state = 'dead'`

const look = "SELECT state, generation FROM webhook_inbox_events WHERE key = ? AND state <> 'claimed'"

const logEvent = `
  INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, reason, actor)
  SELECT ?, 'discard', endpoint, key, id, ?, ? FROM webhook_inbox_events WHERE key = ?`

const logDelivery = `
  INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, reason, actor)
  SELECT ?, 'discard', endpoint, ?, event_id, ?, ? FROM webhook_inbox_quarantine
  WHERE endpoint = ? AND content_hash = ?`

interface Known {
  readonly state: string
  readonly queued: number
  readonly lease_until: number
  readonly content_hash: Uint8Array
}

type QuarantineVerbs = Pick<
  Inbox,
  'quarantine' | 'acceptDead' | 'quarantined' | 'readQuarantined' | 'discard' | 'pruneQuarantine'
>

/** Deliveries and events that are kept for review. `maxQuarantined` limits the deliveries of one endpoint. */
export function sqliteQuarantine<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  maxQuarantined: number,
): QuarantineVerbs {
  return {
    async quarantine({ endpoint, code, eventId, bodyHash, body }) {
      const cause = await causeOfCode(code)
      function keep() {
        if (connection.all(isFull, endpoint, endpoint, bodyHash, maxQuarantined - 1).length > 0) {
          return { state: 'full' } as const
        }
        connection.run(insert, endpoint, bodyHash, code, eventId ?? null, Date.now(), body)
        noteGroup(connection, { endpoint, example: quarantineKey({ endpoint, bodyHash }) }, cause)
        return { state: 'quarantined' } as const
      }
      return connection.writeSteps('quarantine a delivery', keep)
    },

    async acceptDead(event, code, reason) {
      const cause = await causeOfCode(code, reason)
      function keep() {
        const now = Date.now()
        const error = plainReason(`${code}: ${reason}`)
        const resource = event.resource ?? null
        cutLateLease(connection, event.key, now)
        const [row] = connection.all<Known>(known, event.key)
        if (!row) {
          connection.run(insertDead, event.key, now, now, ...valuesOf(event), resource, error)
          joinGroup(connection, event.key, cause, 'once')
          return { state: 'dead' } as const
        }
        const contentHash = rows.text(row.content_hash)
        const isSame = contentHash === event.contentHash
        if (row.state === 'done' || (!isSame && (row.queued || row.state === 'dead'))) {
          return { state: 'duplicate', contentHash } as const
        }
        if (row.state === 'dead') {
          return { state: 'dead' } as const
        }
        const remaining = Number(row.lease_until) - now
        if (remaining > 0) {
          return { state: 'busy', retryAfterSeconds: remaining / 1000 } as const
        }
        if (row.queued) {
          connection.run(markAcceptedDead, error, event.key)
        } else {
          connection.run(replaceByDead, error, ...valuesOf(event), resource, event.key)
        }
        joinGroup(connection, event.key, cause, 'once')
        return { state: 'dead' } as const
      }
      return connection.writeSteps('accept a dead event', keep)
    },

    async quarantined({ endpoint, code, eventId, order, limit = 100, after, bodies = true }) {
      const sql = list(bodies ? rows.quarantineColumns : rows.quarantineHeadColumns, order)
      const values = [endpoint, code, eventId, after].map((value) => value ?? null)
      const found = await connection.read('list the quarantine', () =>
        connection.all<rows.QuarantineRow>(sql, ...values, limit),
      )
      return found.map(rows.toStoredQuarantine)
    },

    async readQuarantined(key) {
      const named = parseQuarantineKey(key)
      if (!named) {
        return undefined
      }
      const [found] = await connection.read('read the quarantine', () =>
        connection.all<rows.QuarantineRow>(find, named.endpoint, named.bodyHash),
      )
      return found && rows.toStoredQuarantine(found)
    },

    async discard(key, { reason, actor }, undoSeconds = 0, seen) {
      const outcome = await connection.writeSteps('discard', () => {
        const now = Date.now()
        const [found] = seen ? connection.all<{ state: string; generation: number }>(look, key) : []
        if (seen && found && !isAsSeen(seen, found)) {
          return 'changed' as const
        }
        const [why, who] = [plainReason(reason), plainReason(actor)]
        cutLateLease(connection, key, now)
        const [dead] = connection.all<{ is_running: number }>(findDead, now, key)
        if (dead?.is_running) {
          return 'busy' as const
        }
        if (dead) {
          connection.run(logEvent, now, why, who, key)
          hideEvent(connection, key, { reason: why, actor: who, undoSeconds })
          return true
        }
        const delivery = parseQuarantineKey(key)
        if (!delivery) {
          return false
        }
        const { endpoint, bodyHash } = delivery
        if (connection.run(auditDelivery, key, why, who, now, endpoint, bodyHash) === 0) {
          return false
        }
        connection.run(logDelivery, now, key, why, who, endpoint, bodyHash)
        keepForUndo(connection, key, { endpoint, bodyHash, undoSeconds })
        return connection.run(deleteDelivery, endpoint, bodyHash) > 0
      })
      if (outcome === 'changed') {
        throw eventChanged()
      }
      if (outcome === 'busy') {
        throw new StoreError('the event is being worked on; fix: discard it in a moment', { reason: 'busy' })
      }
      return outcome
    },

    pruneQuarantine: (retentionSeconds, limit) =>
      pruneInSteps(connection, limit, (most) =>
        connection.write('prune the quarantine', () =>
          connection.run(prune, Date.now() - milliseconds(retentionSeconds), most),
        ),
      ),
  }
}
