import type { BulkStore, EditedEvent } from '../../../store/bulk-store.js'
import { eventChanged } from '../../../store/changed.js'
import { parseQuarantineKey } from '../../../store/quarantined-delivery.js'
import { isAsSeen } from '../../../store/seen-event.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type SqliteTx, WriteList } from '../connection/tx.js'
import { text } from '../events/event-row.js'
import { isBehindAnother } from '../events/resource-order.js'
import { valuesOf } from '../events/sqlite-leases.js'
import { recordAudit } from '../operate/sqlite-audits.js'
import { isNewestSeen } from './sqlite-newest-copy.js'

const isKnown = 'SELECT 1 FROM webhook_inbox_events WHERE key = ?'

const insert = `
  INSERT INTO webhook_inbox_events (state, queued, parent, root, delivered_at, key, received_at, due_at, scheduled_at, endpoint, id, type,
    created_at, content_hash, body, resource, waits)
  VALUES ('accepted', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${isBehindAnother})`

const look =
  'SELECT state, generation, CAST(coalesce(root, id) AS BLOB) AS root FROM webhook_inbox_events WHERE key = ?'

const setRoot = 'UPDATE webhook_inbox_events SET root = ? WHERE key = ?'

const quarantinedAt =
  'SELECT received_at FROM webhook_inbox_quarantine WHERE endpoint = ? AND content_hash = ?'

const release = 'DELETE FROM webhook_inbox_quarantine WHERE endpoint = ? AND content_hash = ?'

/** Accepts events without a delivery. */
export function sqliteCopies<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore<SqliteTx<Database>>, 'acceptFrom'> {
  return {
    async acceptFrom(event, from, audit, enqueue) {
      const tx = new WriteList<Database>()
      await enqueue(tx)
      tx.seal()
      const outcome = await connection.writeSteps('accept an event', (database) => {
        const { endpoint, bodyHash } = ('delivery' in from && parseQuarantineKey(from.delivery)) || nowhere
        // First, because another operator may have released this delivery as the event.
        const [delivery] = connection.all<{ received_at: number }>(quarantinedAt, endpoint, bodyHash)
        if ('delivery' in from && !delivery) {
          return 'gone' as const
        }
        if (connection.all(isKnown, event.key).length > 0) {
          return 'duplicate' as const
        }
        if ('delivery' in from) {
          connection.run(release, endpoint, bodyHash)
        }
        const [now, resource] = [Date.now(), event.resource ?? null]
        const parent = 'parent' in from ? from.parent : null
        const root = 'parent' in from ? rootFor(connection, from) : null
        if (root === undefined) {
          return changed
        }
        const turn = [resource, event.endpoint, resource]
        const deliveredAt = delivery?.received_at ?? null
        connection.run(
          insert,
          parent,
          root,
          deliveredAt,
          event.key,
          now,
          now,
          now,
          ...valuesOf(event),
          ...turn,
        )
        const { key, id: eventId } = event
        recordAudit(connection, {
          action: 'parent' in from ? 'replayEdited' : 'verifyAgain',
          ...{ endpoint: event.endpoint, key, eventId, ...audit },
          subject: 'parent' in from ? from.parent : from.delivery,
        })
        tx.run(database)
        return 'accepted' as const
      })
      if (outcome === changed) {
        throw eventChanged()
      }
      return outcome
    },
  }
}

const changed = Symbol('changed')

const nowhere = { endpoint: '', bodyHash: '' }

/**
 * The root of an event that is edited. It has it from now on too. `undefined` if the event, or its newest copy, is not as the
 * operator saw it.
 */
function rootFor<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  { parent, parentKey, seen, copies }: EditedEvent,
): string | undefined {
  const [found] = connection.all<{ state: string; generation: number; root: Uint8Array }>(look, parentKey)
  if (seen && !(found && isAsSeen(seen, found))) {
    return undefined
  }
  if (copies && !(found && isNewestSeen(connection, parentKey, copies))) {
    return undefined
  }
  const root = found ? text(found.root) : parent
  connection.run(setRoot, root, parentKey)
  return root
}
