import {
  type AppliedEvent,
  becameSql,
  countsOf,
  mostApplied,
  stateSql,
} from '../../../store/applied-events.js'
import type { RunAct } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import { withFault } from '../connection/postgres-fault.js'
import { fromText } from '../connection/text.js'
import { rfc3339 } from '../connection/time-column.js'
import { type Database, reading } from '../connection/transactions.js'

/** What became of the events that a run changed. The audits contain their keys. */
export function postgresApplied(
  database: Database<unknown>,
  schema: string,
): Pick<BulkStore, 'applied' | 'appliedStates' | 'runActs'> {
  /** `$1` run, `$2` the place of the last one before. */
  const changed = `
SELECT a.seq, a.key, a.event_id FROM ${schema}.audits AS a
WHERE a.run = $1::text AND a.seq > $2::bigint AND a.action = (
  SELECT p.action FROM ${schema}.runs AS r JOIN ${schema}.plans AS p ON p.id = r.plan WHERE r.id = $1::text)
ORDER BY a.seq LIMIT ${mostApplied}`
  const became = becameSql(`coalesce(${stateSql('e')}, 'gone')`)
  const joined = `(${changed}) AS a LEFT JOIN ${schema}.events AS e ON e.key = a.key
LEFT JOIN LATERAL (
  SELECT b.action, b.was FROM ${schema}.audits AS b
  WHERE b.key = a.key AND b.seq > a.seq AND b.action IN ('replay', 'retryNow', 'giveUp', 'discard')
  ORDER BY b.seq LIMIT 1) AS since ON true`

  const ask = (text: string, values: readonly unknown[], doing = 'look what became of a run') =>
    withFault(doing, () => database.ask(reading, { text, values }))

  return {
    async applied(id, { limit, after, state }) {
      const rows = await ask(
        `SELECT a.seq::float8 AS place, a.key, a.event_id, ${became} AS state,
  since.action IS NOT NULL AS is_since FROM ${joined} WHERE $4::text IS NULL OR ${became} = $4::text ORDER BY a.seq LIMIT $3::int`,
        [id, after, limit, state ?? null],
      )
      return rows.map(
        (row): AppliedEvent => ({
          place: row.place,
          key: fromText(row.key),
          eventId: row.event_id,
          state: row.state,
          isChangedSince: row.is_since,
        }),
      )
    },

    async appliedStates(id) {
      const rows = await ask(
        `SELECT ${became} AS state, count(*)::int AS count, count(since.action)::int AS since FROM ${joined} GROUP BY 1`,
        [id, 0],
      )
      return countsOf(rows as Parameters<typeof countsOf>[0])
    },

    async runActs(id) {
      // Each restored event has an audit. One person with one reason has one act, however many events it restored.
      const rows = await ask(
        `SELECT action, reason, actor, ${rfc3339('max(at)')} AS at FROM (
  SELECT seq, at, action, reason, actor FROM ${schema}.audits WHERE run = $1::text ORDER BY seq DESC LIMIT ${mostApplied}) AS newest
WHERE action IN ('pauseRun', 'resumeRun', 'cancelRun', 'undo')
GROUP BY action, reason, actor, CASE action WHEN 'undo' THEN 0 ELSE seq END ORDER BY max(seq) DESC`,
        [id],
        'look who changed a run',
      )
      return rows.map(({ action, at, reason, actor }): RunAct => ({ action, at, reason, actor }))
    },
  }
}
