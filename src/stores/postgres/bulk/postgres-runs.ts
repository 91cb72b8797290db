import type { LeftAlone, Run } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import { runChanged } from '../../../store/changed.js'
import { plainReason } from '../../../store/reason.js'
import { aboutRun, auditOf, changeableFrom, type RunChange, seenState } from '../../../store/run-change.js'
import { withFault } from '../connection/postgres-fault.js'
import { fromText } from '../connection/text.js'
import { timeColumn } from '../connection/time-column.js'
import { type Database, type Query, type Row, reading, shortly } from '../connection/transactions.js'
import { recordAudit } from '../operate/postgres-audits.js'

/** Selects runs as {@link toRun} reads them. */
export const selectRuns = (schema: string) => `
SELECT r.id, r.plan, r.reason, r.actor, r.per_second, r.canary, r.is_past_canary, r.state, r.changes, r.place, r.applied, r.failed, r.restored,
  r.note, ${timeColumn('r.created_at')}, ${timeColumn('r.ended_at')}, p.endpoint, p.action, p.count,
  r.lease_until > now() AS is_held,
  (SELECT json_object_agg(outcome, n)::text FROM (
    SELECT outcome, count(*) AS n FROM ${schema}.run_items AS i
    WHERE i.run = r.id AND outcome NOT IN ('canary', 'failed') GROUP BY outcome) AS counted) AS skipped
FROM ${schema}.runs AS r JOIN ${schema}.plans AS p ON p.id = r.plan`

export const toRun = (row: Row): Run => ({
  id: row.id,
  plan: row.plan,
  endpoint: row.endpoint,
  action: row.action,
  reason: row.reason,
  actor: row.actor,
  perSecond: row.per_second,
  canary: row.canary,
  isPastCanary: row.is_past_canary,
  state: row.state,
  changes: row.changes,
  isHeld: row.is_held,
  count: row.count,
  applied: row.applied,
  skipped: JSON.parse(row.skipped ?? '{}'),
  failed: row.failed,
  restored: row.restored,
  remaining: row.count - row.place,
  ...(row.note !== null && { note: row.note }),
  createdAt: row.created_at,
  ...(row.ended_at !== null && { endedAt: row.ended_at }),
})

type RunVerbs = Pick<
  BulkStore,
  'startRun' | 'readRun' | 'runs' | 'leftAlone' | 'changeRun' | 'takeRun' | 'canaryOutcome' | 'settleRun'
>

export function postgresRuns<Tx>(database: Database<Tx>, schema: string): RunVerbs {
  const select = selectRuns(schema)

  const transact = <T>(doing: string, work: (query: Query) => Promise<T>) =>
    withFault(doing, () => database.transaction(shortly, ({ query }) => work(query)))

  const ask = (doing: string, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.query(text, values))

  /** For lists of an operator. */
  const list = (doing: string, text: string, values: readonly unknown[]) =>
    withFault(doing, () => database.ask(reading, { text, values }))

  async function read(query: Query, id: string): Promise<Run | undefined> {
    const [row] = await query(`${select} WHERE r.id = $1::text`, [id])
    return row && toRun(row)
  }

  return {
    startRun: ({ id, plan, perSecond, canary }, { reason, actor }) =>
      transact('start a run', async (query) => {
        const [started] = await query(
          `INSERT INTO ${schema}.runs (id, plan, reason, actor, per_second, canary, is_past_canary, state)
SELECT $1::text, id, $3::text, $4::text, $5::float8, $6::int, $6::int = 0, 'running' FROM ${schema}.plans WHERE id = $2::text FOR SHARE
RETURNING id`,
          [id, plan, plainReason(reason), plainReason(actor), perSecond, canary],
        )
        if (!started) {
          return undefined
        }
        const run = (await read(query, id)) as Run
        await recordAudit(query, schema, {
          action: 'startRun',
          ...aboutRun(run),
          subject: plan,
          reason,
          actor,
        })
        return run
      }),

    async readRun(id) {
      const [row] = await ask('read a run', `${select} WHERE r.id = $1::text`, [id])
      return row && toRun(row)
    },

    async runs({ endpoint, limit = 100, after }) {
      const found = await list(
        'list the runs',
        `${select} WHERE ($2::text IS NULL OR p.endpoint = $2::text)
  AND ($3::text IS NULL OR r.seq < (SELECT r.seq FROM ${schema}.runs AS r JOIN ${schema}.plans AS p ON p.id = r.plan
    WHERE r.id = $3::text AND ($2::text IS NULL OR p.endpoint = $2::text)))
ORDER BY r.seq DESC LIMIT $1::int`,
        [limit, endpoint ?? null, after ?? null],
      )
      return found.map(toRun)
    },

    async leftAlone(id, { limit, after }) {
      const found = await list(
        'list what a run left alone',
        `SELECT place, key, event_id, outcome, detail FROM ${schema}.run_items
WHERE run = $1::text AND place > $2::int AND outcome <> 'canary' ORDER BY place LIMIT $3::int`,
        [id, after, limit],
      )
      return found.map(
        (row): LeftAlone => ({
          place: row.place,
          key: fromText(row.key),
          ...(row.event_id !== null && { eventId: row.event_id }),
          because: row.outcome,
          ...(row.detail !== null && { detail: row.detail }),
        }),
      )
    },

    changeRun: (id, to, audit, seen) =>
      transact('change a run', async (query) => {
        // A process that applies the run finds its token deleted, and stops.
        const [changed] = await query(
          `UPDATE ${schema}.runs SET state = $2::text, changes = changes + 1, token = NULL, lease_until = '-infinity',
  is_past_canary = is_past_canary OR ($2::text = 'running' AND state <> 'paused'),
  ended_at = CASE WHEN $2::text = 'cancelled' THEN now() END
WHERE id = $1::text AND state IN (${statesBefore(to)}) AND ($3::int IS NULL OR changes = $3::int)
  AND ($4::text IS NULL OR state = $4::text) RETURNING id`,
          [id, to, seen?.changes ?? null, seenState(to, seen)],
        )
        if (!changed) {
          const sql = `SELECT id FROM ${schema}.runs WHERE id = $1::text AND state IN (${statesBefore(to)})`
          if (seen && (await query(sql, [id])).length > 0) {
            throw runChanged()
          }
          return false
        }
        const run = (await read(query, id)) as Run
        await recordAudit(query, schema, { action: auditOf[to], ...aboutRun(run), ...audit })
        return true
      }),

    // Each idle process runs this often, so it is one statement without a transaction.
    async takeRun(endpoint, token, leaseSeconds) {
      const [taken] = await ask(
        'take a run',
        `UPDATE ${schema}.runs SET token = $2::text, lease_until = now() + make_interval(secs => $3::float8) WHERE id = (
  SELECT r.id FROM ${schema}.runs AS r JOIN ${schema}.plans AS p ON p.id = r.plan
  WHERE r.state IN ('running', 'canary') AND p.endpoint = $1::text
    AND (r.lease_until <= now() OR r.lease_until > now() + make_interval(secs => $3::float8))
  ORDER BY r.seq LIMIT 1 FOR UPDATE OF r SKIP LOCKED)
RETURNING id`,
        [endpoint, token, leaseSeconds],
      )
      return taken && read((text, values) => ask('read a run', text, values), taken.id)
    },

    // The detail of an event of a canary is how often it had failed when the run changed it.
    async canaryOutcome(id) {
      const found = await ask(
        'look at a canary',
        `SELECT coalesce(e.id, i.event_id) AS id, CASE
  WHEN e.key IS NULL OR e.state = 'done' THEN 'over'
  WHEN e.state = 'dead' OR (e.state = 'failed' AND e.failure_group = i.failure_group
    AND e.failures > coalesce(i.detail::int, -1)) THEN 'failed'
  ELSE 'open' END AS state
FROM ${schema}.run_items AS i LEFT JOIN ${schema}.events AS e ON e.key = i.key
WHERE i.run = $1::text AND i.outcome = 'canary'`,
        [id],
      )
      return {
        open: found.filter(({ state }) => state === 'open').length,
        failed: found.filter(({ state }) => state === 'failed').map((row) => row.id),
      }
    },

    async settleRun(id, token, { state, isPastCanary, note, leaseSeconds }) {
      const isOver = state === 'done' || state === 'stopped'
      const found = await ask(
        'settle a run',
        `UPDATE ${schema}.runs SET state = $3::text, is_past_canary = $4::text::boolean, note = coalesce($5::text, note),
  lease_until = now() + make_interval(secs => $6::float8),
  ended_at = CASE WHEN $7::text::boolean THEN now() END
WHERE id = $1::text AND token = $2::text AND state IN ('running', 'canary') RETURNING id`,
        [id, token, state, String(isPastCanary), note ?? null, isOver ? 0 : leaseSeconds, String(isOver)],
      )
      return found.length > 0
    },
  }
}

/** As SQL. */
const statesBefore = (to: RunChange) => changeableFrom[to].map((state) => `'${state}'`).join(', ')
