import type { BulkStore } from '../../../store/bulk-store.js'
import type { DiscardPlace, UndoPlace } from '../../../store/discarded.js'
import type { Audit } from '../../../store/inbox.js'
import { undoConflict } from '../../../store/undo-conflict.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'
import { recordAudit } from './sqlite-audits.js'
import { pruneInSteps } from './sqlite-prune-steps.js'

// Earlier discards under the same key can no longer be restored.
const forgetEvent = `
  DELETE FROM webhook_inbox_events WHERE seq = (SELECT event_seq FROM webhook_inbox_discarded WHERE key = ?)`
const forgetKey = 'DELETE FROM webhook_inbox_discarded WHERE key = ?'

const noteDiscard = `
  INSERT INTO webhook_inbox_discards (key, event_id, code, content_hash, reason, actor, discarded_at)
  SELECT key, id, last_error, content_hash, ?, ?, ? FROM webhook_inbox_events WHERE key = ?`

const noteHidden = `
  INSERT INTO webhook_inbox_discarded (key, event_seq, event_id, endpoint, run, undo_until)
  SELECT key, seq, id, endpoint, ?, ? FROM webhook_inbox_events WHERE key = ?`

const hide = `
  UPDATE webhook_inbox_events SET key = 'discarded ' || key, state = 'claimed'
  WHERE key = ?`

const keepDelivery = `
  INSERT INTO webhook_inbox_discarded
    (key, event_id, endpoint, undo_until, content_hash, code, deliveries, received_at, body)
  SELECT ?, event_id, endpoint, ?, content_hash, code, deliveries, received_at, body FROM webhook_inbox_quarantine
  WHERE endpoint = ? AND content_hash = ?`

const find = (column: 'key' | 'run') => `
  SELECT event_seq, CAST(key AS BLOB) AS key, CAST(event_id AS BLOB) AS event_id, CAST(endpoint AS BLOB) AS endpoint,
    CAST(run AS BLOB) AS run, undo_until,
    CASE WHEN event_seq IS NULL THEN EXISTS (
      SELECT 1 FROM webhook_inbox_quarantine AS q WHERE q.endpoint = d.endpoint AND q.content_hash = d.content_hash)
    ELSE EXISTS (SELECT 1 FROM webhook_inbox_events AS e WHERE e.key = d.key) END AS is_replaced
  FROM webhook_inbox_discarded AS d WHERE ${column} = ? AND endpoint = ? AND undo_until > ? LIMIT ?`

const asItWas = `
  SELECT ${['type', 'resource', 'last_error'].map(asBytes).join(', ')} FROM webhook_inbox_events WHERE seq = ?`

const show = `
  UPDATE webhook_inbox_events SET key = ?, state = 'dead'
  WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM webhook_inbox_events WHERE key = ?)`

const showDelivery = `
  INSERT INTO webhook_inbox_quarantine (endpoint, content_hash, code, event_id, deliveries, received_at, body)
  SELECT endpoint, content_hash, code, event_id, deliveries, received_at, body FROM webhook_inbox_discarded WHERE key = ?
  ON CONFLICT (endpoint, content_hash) DO NOTHING`

const changesOfRun = 'SELECT changes FROM webhook_inbox_runs WHERE id = ?'
const countRestored = 'UPDATE webhook_inbox_runs SET restored = restored + 1 WHERE id = ?'

const expired = 'SELECT CAST(key AS BLOB) AS key FROM webhook_inbox_discarded WHERE undo_until <= ? LIMIT ?'

interface Discarded {
  readonly key: Uint8Array
  readonly event_seq: number | null
  readonly event_id: Uint8Array | null
  readonly endpoint: Uint8Array
  readonly run: Uint8Array | null
  readonly undo_until: number
  readonly is_replaced: number
}

interface Hidden {
  readonly type: Uint8Array
  readonly resource: Uint8Array | null
  readonly last_error: Uint8Array | null
}

interface Terms extends Audit {
  readonly undoSeconds: number
  readonly run?: string
}

/** Removes a dead event from the inbox, and keeps it for `undo`. Call it only in the `write` that adds the audit. */
export function hideEvent<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  { undoSeconds, run, reason, actor }: Terms,
): void {
  const now = Date.now()
  forget(connection, key)
  connection.run(noteDiscard, reason, actor, now, key)
  if (undoSeconds <= 0) {
    connection.run('DELETE FROM webhook_inbox_events WHERE key = ?', key)
    return
  }
  connection.run(noteHidden, run ?? null, now + milliseconds(undoSeconds), key)
  connection.run(hide, key)
}

/** Copies a quarantined delivery for `undo`, before it is deleted. Call it only in the `write` that adds the audit. */
export function keepForUndo<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  { endpoint, bodyHash, undoSeconds }: { endpoint: string; bodyHash: string; undoSeconds: number },
): void {
  forget(connection, key)
  if (undoSeconds > 0) {
    connection.run(keepDelivery, key, Date.now() + milliseconds(undoSeconds), endpoint, bodyHash)
  }
}

function forget<Database extends SqliteDatabase>(connection: Connection<Database>, key: string): void {
  connection.run(forgetEvent, key)
  connection.run(forgetKey, key)
}

export function sqliteUndo<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'undo' | 'discarded' | 'pruneDiscarded'> {
  function bringBack(each: Discarded, audit: Audit): boolean {
    const key = text(each.key)
    const isBack =
      each.event_seq === null
        ? connection.run(showDelivery, key) > 0
        : connection.run(show, key, each.event_seq, key) > 0
    if (!isBack) {
      return false
    }
    connection.run(forgetKey, key)
    const about = {
      endpoint: text(each.endpoint),
      key,
      ...(each.event_id && { eventId: text(each.event_id) }),
      ...(each.run && { run: text(each.run) }),
    }
    recordAudit(connection, { action: 'undo', ...about, ...audit })
    if (about.run !== undefined) {
      connection.run(countRestored, about.run)
    }
    return true
  }

  function withinWindow({ endpoint, ...what }: DiscardPlace, limit: number): readonly Discarded[] {
    const [column, value] = 'key' in what ? (['key', what.key] as const) : (['run', what.run] as const)
    return connection.all<Discarded>(find(column), value, endpoint, Date.now(), limit)
  }

  /** What is kept of a discarded event. */
  const hidden = ({ event_seq }: Discarded): Partial<Hidden> | undefined =>
    event_seq === null ? undefined : connection.all<Hidden>(asItWas, event_seq)[0]

  /** What {@link undoConflict} compares. */
  function nowOf(what: UndoPlace, [first]: readonly Discarded[]): string | number | undefined {
    if (!what.seen || !first) {
      return undefined
    }
    if ('run' in what) {
      const [run] = connection.all<{ changes: number }>(changesOfRun, what.run)
      return run && Number(run.changes)
    }
    return time(first.undo_until)
  }

  return {
    async discarded(what, limit) {
      const found = await connection.read('read what was discarded', () =>
        withinWindow(what, limit).map((each) => ({ ...each, ...hidden(each) })),
      )
      return found.map(({ type, resource, last_error, ...each }) => ({
        kind: each.event_seq === null ? 'delivery' : 'event',
        key: text(each.key),
        ...(each.event_id && { eventId: text(each.event_id) }),
        ...(type && { type: text(type) }),
        ...(resource && { resource: text(resource) }),
        ...(last_error && { lastError: text(last_error) }),
        undoUntil: time(each.undo_until),
        isReplaced: Boolean(each.is_replaced),
      }))
    },

    async undo(what, audit, limit) {
      const outcome = await connection.writeSteps('undo a discard', () => {
        const found = withinWindow(what, limit)
        const conflict = undoConflict(what, nowOf(what, found))
        if (conflict) {
          return conflict
        }
        let undone = 0
        for (const each of found) {
          if (bringBack(each, audit)) {
            undone++
          } else {
            // A later delivery has replaced it, so `undo` cannot restore it.
            forget(connection, text(each.key))
          }
        }
        return { found: found.length, undone }
      })
      if (outcome instanceof Error) {
        throw outcome
      }
      return outcome
    },

    pruneDiscarded: (limit) =>
      pruneInSteps(connection, limit, (most) =>
        connection.writeSteps('delete what was discarded', () => {
          const found = connection.all<{ key: Uint8Array }>(expired, Date.now(), most)
          for (const { key } of found) {
            forget(connection, text(key))
          }
          return found.length
        }),
      ),
  }
}
