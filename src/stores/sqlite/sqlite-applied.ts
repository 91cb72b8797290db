import { type AppliedEvent, type AppliedState, mostApplied, noneApplied } from '../../store/bulk-records.js'
import type { BulkStore } from '../../store/bulk-store.js'
import type { Connection } from './connection.js'
import { asBytes, text } from './event-row.js'
import type { SqliteDatabase } from './sqlite-database.js'

const changed = `
  SELECT a.seq, a.key, a.event_id FROM webhook_inbox_audits AS a
  WHERE a.run = ? AND a.seq > ? AND a.action = (
    SELECT p.action FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan WHERE r.id = a.run)
  ORDER BY a.seq LIMIT ${mostApplied}`

const withState = `
  SELECT a.seq, a.key, a.event_id, coalesce(e.state, 'gone') AS state
  FROM (${changed}) AS a LEFT JOIN webhook_inbox_events AS e ON e.key = a.key`

const list = `
  SELECT seq AS place, ${['key', 'event_id'].map(asBytes).join(', ')}, state FROM (${withState})
  WHERE state = coalesce(?, state) ORDER BY seq LIMIT ?`

const states = `SELECT state, count(*) AS count FROM (${withState}) GROUP BY state`

interface Row {
  readonly place: number
  readonly key: Uint8Array
  readonly event_id: Uint8Array
  readonly state: AppliedState
}

/** The current state of the events that a run changed. The audits contain their keys. */
export const sqliteApplied = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'applied' | 'appliedStates'> => ({
  async applied(id, { limit, after, state }) {
    const rows = await connection.read('look what became of a run', () =>
      connection.all<Row>(list, id, after, state ?? null, limit),
    )
    return rows.map(
      (row): AppliedEvent => ({
        place: Number(row.place),
        key: text(row.key),
        eventId: text(row.event_id),
        state: row.state,
      }),
    )
  },

  appliedStates: (id) =>
    connection.read('look what became of a run', () => {
      const rows = connection.all<{ state: AppliedState; count: number }>(states, id, 0)
      return { ...noneApplied, ...Object.fromEntries(rows.map((row) => [row.state, Number(row.count)])) }
    }),
})
