import type { BulkStore } from '../../../store/bulk-store.js'
import type { DiscardPlace } from '../../../store/discarded.js'
import { undoConflict } from '../../../store/undo-conflict.js'
import { withFault } from '../connection/postgres-fault.js'
import { fromText, toText } from '../connection/text.js'
import { timeColumn } from '../connection/time-column.js'
import { type Database, type Query, type Row, reading, shortly } from '../connection/transactions.js'
import { recordAudit } from './postgres-audits.js'

/**
 * Removes dead events from the inbox, and keeps them for `undo`. `keys` have the form of the table. Call it only in the
 * transaction that writes the audit.
 */
export async function hideEvents(
  query: Query,
  schema: string,
  keys: readonly string[],
  { undoSeconds, run, reason, actor }: Terms,
): Promise<void> {
  await forget(query, schema, keys)
  await query(
    `INSERT INTO ${schema}.discards (key, event_id, code, content_hash, reason, actor)
SELECT key, id, last_error, content_hash, $2::text, $3::text FROM ${schema}.events WHERE key = ANY ($1::text[])`,
    [keys, reason, actor],
  )
  if (undoSeconds <= 0) {
    await query(`DELETE FROM ${schema}.events WHERE key = ANY ($1::text[])`, [keys])
    return
  }
  await query(
    `WITH hidden AS (
  UPDATE ${schema}.events SET key = 'discarded ' || key, state = 'discarded' WHERE key = ANY ($1::text[])
  RETURNING substr(key, 11) AS key, id, endpoint
)
INSERT INTO ${schema}.discarded (key, is_event, event_id, endpoint, run, undo_until)
SELECT key, true, id, endpoint, $2::text, now() + make_interval(secs => $3::float8) FROM hidden`,
    [keys, run ?? null, undoSeconds],
  )
}

interface Terms {
  readonly reason: string
  readonly actor: string
  readonly undoSeconds: number
  readonly run?: string
}

/** Earlier discards under the same keys can no longer be restored. */
export async function forget(query: Query, schema: string, keys: readonly string[]): Promise<void> {
  await query(
    `WITH gone AS (DELETE FROM ${schema}.discarded WHERE key = ANY ($1::text[]) RETURNING key, is_event)
DELETE FROM ${schema}.events WHERE key IN (SELECT 'discarded ' || key FROM gone WHERE is_event)`,
    [keys],
  )
}

export function postgresUndo<Tx>(
  database: Database<Tx>,
  schema: string,
): Pick<BulkStore, 'undo' | 'discarded' | 'pruneDiscarded'> {
  const transact = <T>(doing: string, work: (query: Query) => Promise<T>) =>
    withFault(doing, () => database.transaction(shortly, ({ query }) => work(query)))

  async function bringBack(query: Query, { key, is_event }: Row): Promise<boolean> {
    const back = is_event
      ? await query(
          `UPDATE ${schema}.events AS e SET key = $1::text, state = 'dead'
WHERE key = 'discarded ' || $1::text AND NOT EXISTS (SELECT FROM ${schema}.events WHERE key = $1::text)
RETURNING key`,
          [key],
        )
      : await query(
          `INSERT INTO ${schema}.quarantine (endpoint, content_hash, code, event_id, deliveries, received_at, body)
SELECT endpoint, content_hash, code, event_id, deliveries, received_at, body FROM ${schema}.discarded WHERE key = $1::text
ON CONFLICT (endpoint, content_hash) DO NOTHING RETURNING endpoint`,
          [key],
        )
    return back.length > 0
  }

  /** The part of a statement after SELECT, and its values. */
  function withinWindow({ endpoint, ...what }: DiscardPlace, limit: number) {
    const [column, value] = 'key' in what ? ['key', toText(what.key)] : ['run', what.run]
    const sql = `FROM ${schema}.discarded AS d
WHERE ${column} = $1::text AND endpoint = $2::text AND undo_until > now() LIMIT $3::int`
    return { sql, values: [value, endpoint, limit] }
  }

  return {
    async discarded(what, limit) {
      const { sql, values } = withinWindow(what, limit)
      const text = `SELECT d.*, e.type, e.resource, e.last_error FROM (SELECT key, is_event, event_id,
  ${timeColumn('undo_until')},
  CASE WHEN is_event THEN EXISTS (SELECT FROM ${schema}.events AS e WHERE e.key = d.key)
  ELSE EXISTS (SELECT FROM ${schema}.quarantine AS q WHERE q.endpoint = d.endpoint AND q.content_hash = d.content_hash)
  END AS is_replaced ${sql}) AS d
LEFT JOIN ${schema}.events AS e ON d.is_event AND e.key = 'discarded ' || d.key`
      const found = await withFault('read what was discarded', () => database.ask(reading, { text, values }))
      return found.map((row) => ({
        kind: row.is_event ? 'event' : 'delivery',
        key: fromText(row.key),
        ...(row.event_id !== null && { eventId: row.event_id }),
        ...(row.type !== null && { type: row.type }),
        ...(row.resource !== null && { resource: fromText(row.resource) }),
        ...(row.last_error !== null && { lastError: row.last_error }),
        undoUntil: row.undo_until,
        isReplaced: row.is_replaced,
      }))
    },

    undo: (what, audit, limit) =>
      transact('undo a discard', async (query) => {
        const { endpoint } = what
        const { sql, values } = withinWindow(what, limit)
        // A step of a run locks its run first too. In another order the two could wait for each other.
        const locked = await query(
          `SELECT changes FROM ${schema}.runs WHERE id = ANY (ARRAY(SELECT run ${sql})) ORDER BY id FOR UPDATE`,
          values,
        )
        const found = await query(
          `SELECT key, is_event, event_id, run, ${timeColumn('undo_until')} ${sql} FOR UPDATE`,
          values,
        )
        const conflict = undoConflict(what, 'run' in what ? locked[0]?.changes : found[0]?.undo_until)
        if (conflict) {
          throw conflict
        }
        let undone = 0
        const runs = new Map<string, number>()
        for (const row of found) {
          if (!(await bringBack(query, row))) {
            // A later delivery has replaced it, so `undo` cannot restore it.
            await forget(query, schema, [row.key])
            continue
          }
          await query(`DELETE FROM ${schema}.discarded WHERE key = $1::text`, [row.key])
          const eventId = row.event_id !== null && { eventId: row.event_id }
          const run = row.run !== null && { run: row.run }
          const about = { endpoint, key: fromText(row.key), ...eventId, ...run }
          await recordAudit(query, schema, { action: 'undo', ...about, ...audit })
          if (row.run !== null) {
            runs.set(row.run, (runs.get(row.run) ?? 0) + 1)
          }
          undone++
        }
        for (const [run, count] of runs) {
          const sql = `UPDATE ${schema}.runs SET restored = restored + $2::int WHERE id = $1::text`
          await query(sql, [run, count])
        }
        return { found: found.length, undone }
      }),

    pruneDiscarded: (limit) =>
      transact('delete what was discarded', async (query) => {
        const found = await query(
          `SELECT key FROM ${schema}.discarded WHERE undo_until <= now() ORDER BY undo_until LIMIT $1::int
FOR UPDATE SKIP LOCKED`,
          [limit],
        )
        if (found.length > 0) {
          await forget(
            query,
            schema,
            found.map(({ key }) => key),
          )
        }
        return found.length
      }),
  }
}
