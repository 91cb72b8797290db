import {
  type AppliedEvent,
  type AppliedState,
  becameSql,
  countsOf,
  mostApplied,
  stateSql,
} from '../../../store/applied-events.js'
import type { RunAct } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'

const changed = `
  SELECT a.seq, a.key, a.event_id FROM webhook_inbox_audits AS a
  WHERE a.run = ? AND a.seq > ? AND a.action = (
    SELECT p.action FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan WHERE r.id = a.run)
  ORDER BY a.seq LIMIT ${mostApplied}`

const stateNow = `CASE WHEN e.state = 'failed' AND e.lease_until > ? THEN 'accepted' ELSE coalesce(${stateSql('e')}, 'gone') END`

const withState = `
  SELECT a.seq, a.key, a.event_id, since.seq IS NOT NULL AS is_since, ${becameSql(stateNow)} AS state
  FROM (${changed}) AS a LEFT JOIN webhook_inbox_events AS e ON e.key = a.key
  LEFT JOIN webhook_inbox_audits AS since ON since.seq = (
    SELECT min(b.seq) FROM webhook_inbox_audits AS b
    WHERE b.key = a.key AND b.seq > a.seq AND b.action IN ('replay', 'retryNow', 'giveUp', 'discard'))`

const list = `
  SELECT seq AS place, ${['key', 'event_id'].map(asBytes).join(', ')}, state, is_since FROM (${withState})
  WHERE state = coalesce(?, state) ORDER BY seq LIMIT ?`

const states = `SELECT state, count(*) AS count, sum(is_since) AS since FROM (${withState}) GROUP BY state`

// Each restored event has an audit: those of one person for one reason are one act.
const acts = `
  SELECT action, max(at) AS at, ${['reason', 'actor'].map(asBytes).join(', ')} FROM (
    SELECT seq, at, action, reason, actor FROM webhook_inbox_audits WHERE run = ? ORDER BY seq DESC LIMIT ${mostApplied})
  WHERE action IN ('pauseRun', 'resumeRun', 'cancelRun', 'undo')
  GROUP BY action, reason, actor, CASE action WHEN 'undo' THEN 0 ELSE seq END ORDER BY max(seq) DESC`

interface ActRow {
  readonly action: RunAct['action']
  readonly at: number
  readonly reason: Uint8Array
  readonly actor: Uint8Array
}

interface Row {
  readonly place: number
  readonly key: Uint8Array
  readonly event_id: Uint8Array
  readonly state: AppliedState
  readonly is_since: number
}

/** What became of the events that a run changed. The audits contain their keys. */
export const sqliteApplied = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
): Pick<BulkStore, 'applied' | 'appliedStates' | 'runActs'> => ({
  async applied(id, { limit, after, state }) {
    const rows = await connection.read('look what became of a run', () =>
      connection.all<Row>(list, Date.now(), id, after, state ?? null, limit),
    )
    return rows.map(
      (row): AppliedEvent => ({
        place: Number(row.place),
        key: text(row.key),
        eventId: text(row.event_id),
        state: row.state,
        isChangedSince: Boolean(row.is_since),
      }),
    )
  },

  appliedStates: (id) =>
    connection.read('look what became of a run', () => {
      const now = Date.now()
      return countsOf(
        connection.all<{ state: AppliedState; count: number; since: number }>(states, now, id, 0),
      )
    }),

  async runActs(id) {
    const rows = await connection.read('look who changed a run', () => connection.all<ActRow>(acts, id))
    return rows.map(
      ({ action, at, reason, actor }): RunAct => ({
        action,
        at: time(at),
        reason: text(reason),
        actor: text(actor),
      }),
    )
  },
})
