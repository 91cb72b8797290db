import { plannedStates } from '../../../store/action-states.js'
import type { LeftAlone, Run, RunState, SkipReason } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import { runChanged } from '../../../store/changed.js'
import type { InboxState } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import { aboutRun, auditOf, changeableFrom, type RunChange, seenState } from '../../../store/run-change.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'
import { recordAudit } from '../operate/sqlite-audits.js'

const select = `
  SELECT r.seq, r.id, r.plan, r.per_second, r.canary, r.is_past_canary, r.state, r.changes, r.place, r.applied, r.failed, r.restored, r.created_at,
    r.ended_at, r.lease_until, p.action, p.count,
    CAST(r.reason AS BLOB) AS reason, CAST(r.actor AS BLOB) AS actor, CAST(r.note AS BLOB) AS note,
    CAST(p.endpoint AS BLOB) AS endpoint, CAST(p.conditions AS BLOB) AS conditions,
    (SELECT json_group_object(outcome, n) FROM (
      SELECT outcome, count(*) AS n FROM webhook_inbox_run_items AS i
      WHERE i.run = r.id AND outcome NOT IN ('canary', 'failed') GROUP BY outcome)) AS skipped
  FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan`

const insert = `
  INSERT INTO webhook_inbox_runs (id, plan, reason, actor, per_second, canary, is_past_canary, state, created_at)
  SELECT ?, id, ?, ?, ?, ?, ?, 'running', ? FROM webhook_inbox_plans WHERE id = ? AND is_ready = 1`

const free = '(lease_until <= ? OR lease_until > ? + ?)'

const placeOf = `
  SELECT r.seq FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan WHERE r.id = ?`

const anyOpen = `SELECT 1 FROM webhook_inbox_runs WHERE state IN ('running', 'canary') LIMIT 1`

const take = `
  UPDATE webhook_inbox_runs SET token = ?, lease_until = ? WHERE seq = (
    SELECT r.seq FROM webhook_inbox_runs AS r JOIN webhook_inbox_plans AS p ON p.id = r.plan
    WHERE r.state IN ('running', 'canary') AND ${free} AND p.endpoint = ?
    ORDER BY r.seq LIMIT 1)`

const settle = `
  UPDATE webhook_inbox_runs SET state = ?, note = coalesce(?, note), lease_until = ?, ended_at = ?,
    is_past_canary = ?
  WHERE id = ? AND token = ? AND state IN ('running', 'canary')`

// The detail of an event of a canary is how often it had failed when the run changed it.
const canaries = `
  SELECT ${asBytes('id')}, state FROM (
    SELECT coalesce(e.id, i.event_id) AS id, CASE
      WHEN e.seq IS NULL OR e.state = 'done' THEN 'over'
      WHEN e.state = 'dead' OR (e.state = 'failed' AND e.failure_group = i.failure_group
        AND e.failures > coalesce(CAST(i.detail AS INTEGER), -1)) THEN 'failed'
      ELSE 'open' END AS state
    FROM webhook_inbox_run_items AS i LEFT JOIN webhook_inbox_events AS e ON e.key = i.key
    WHERE i.run = ? AND i.outcome = 'canary')`

const leftAlone = `
  SELECT place, outcome, ${['key', 'event_id', 'detail'].map(asBytes).join(', ')} FROM webhook_inbox_run_items
  WHERE run = ? AND place > ? AND outcome <> 'canary' ORDER BY place LIMIT ?`

type Text = Uint8Array | null

interface Row {
  readonly [column: string]: unknown
  readonly endpoint: Uint8Array
  readonly reason: Uint8Array
  readonly actor: Uint8Array
  readonly note: Text
  readonly conditions: Uint8Array
  readonly action: Run['action']
  readonly state: RunState
  readonly id: string
  readonly plan: string
  readonly skipped: string
  readonly ended_at: number | null
}

function toRun(row: Row): Run {
  const skipped: Partial<Record<SkipReason, number>> = JSON.parse(row.skipped)
  return {
    id: row.id,
    plan: row.plan,
    endpoint: text(row.endpoint),
    action: row.action,
    reason: text(row.reason),
    actor: text(row.actor),
    perSecond: Number(row.per_second),
    canary: Number(row.canary),
    isPastCanary: Boolean(row.is_past_canary),
    state: row.state,
    changes: Number(row.changes),
    isHeld: Number(row.lease_until) > Date.now(),
    count: Number(row.count),
    applied: Number(row.applied),
    skipped,
    failed: Number(row.failed),
    restored: Number(row.restored),
    remaining: Number(row.count) - Number(row.place),
    ...(row.note && { note: text(row.note) }),
    createdAt: time(row.created_at as number),
    ...(row.ended_at !== null && { endedAt: time(row.ended_at) }),
  }
}

/** The run under an id. Only within `write` and `read`. */
export function findRun<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  id: string,
): Run | undefined {
  return connection.all<Row>(`${select} WHERE r.id = ?`, id).map(toRun)[0]
}

/**
 * A run that the holder of `token` may apply, with the states that the events of its plan were in. Only within `write` and `read`.
 */
export function findHeldRun<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  id: string,
  token: string,
): { readonly run: Run; readonly states: readonly InboxState[] } | undefined {
  const held = `${select} WHERE r.id = ? AND r.token = ? AND r.state = 'running'`
  const [row] = connection.all<Row>(held, id, token)
  return row && { run: toRun(row), states: plannedStates(row.action, JSON.parse(text(row.conditions)).state) }
}

type RunVerbs = Pick<
  BulkStore,
  'startRun' | 'readRun' | 'runs' | 'leftAlone' | 'changeRun' | 'takeRun' | 'canaryOutcome' | 'settleRun'
>

export function sqliteRuns<Database extends SqliteDatabase>(connection: Connection<Database>): RunVerbs {
  const read = (id: string) => findRun(connection, id)

  return {
    startRun: ({ id, plan, perSecond, canary }, { reason, actor }) =>
      connection.writeSteps('start a run', () => {
        const [why, who, now] = [plainReason(reason), plainReason(actor), Date.now()]
        if (connection.run(insert, id, why, who, perSecond, canary, canary > 0 ? 0 : 1, now, plan) === 0) {
          return undefined
        }
        const run = read(id) as Run
        recordAudit(connection, { action: 'startRun', ...aboutRun(run), subject: plan, reason, actor })
        return run
      }),

    readRun: (id) => connection.read('read a run', () => read(id)),

    async runs({ endpoint, limit = 100, after }) {
      const mine = endpoint === undefined ? [] : [endpoint]
      const isMine = endpoint === undefined ? 'true' : 'p.endpoint = ?'
      const where = [isMine]
      const values: SqliteValue[] = [...mine]
      if (after !== undefined) {
        where.push(`r.seq < (${placeOf} AND ${isMine})`)
        values.push(after, ...mine)
      }
      const sql = `${select} WHERE ${where.join(' AND ')} ORDER BY r.seq DESC LIMIT ?`
      const found = await connection.read('list the runs', () => connection.all<Row>(sql, ...values, limit))
      return found.map(toRun)
    },

    async leftAlone(id, { limit, after }) {
      const found = await connection.read('list what a run left alone', () =>
        connection.all<Row & { outcome: LeftAlone['because'] }>(leftAlone, id, after, limit),
      )
      return found.map((row) => ({
        place: Number(row.place),
        key: text(row.key as Uint8Array),
        ...(row.event_id !== null && { eventId: text(row.event_id as Uint8Array) }),
        because: row.outcome,
        ...(row.detail !== null && { detail: text(row.detail as Uint8Array) }),
      }))
    },

    async changeRun(id, to, audit, seen) {
      const outcome = await connection.writeSteps('change a run', () => {
        const now = Date.now()
        const canChange = `state IN (${statesBefore(to)})`
        // A process that applies the run finds its token deleted, and stops.
        const sql = `
            UPDATE webhook_inbox_runs SET state = '${to}', changes = changes + 1, token = NULL, lease_until = 0,
              is_past_canary = CASE WHEN '${to}' = 'running' AND state <> 'paused' THEN 1 ELSE is_past_canary END,
              ended_at = CASE WHEN '${to}' = 'cancelled' THEN ? END
            WHERE id = ? AND ${canChange}
              AND (? IS NULL OR changes = ?) AND (? IS NULL OR state = ?)`
        const [changes, state] = [seen?.changes ?? null, seenState(to, seen)]
        if (connection.run(sql, now, id, changes, changes, state, state) === 0) {
          const find = `SELECT 1 FROM webhook_inbox_runs WHERE id = ? AND ${canChange}`
          return seen && connection.all(find, id).length > 0 ? 'changed' : false
        }
        const run = read(id) as Run
        recordAudit(connection, { action: auditOf[to], ...aboutRun(run), ...audit })
        return true
      })
      if (outcome === 'changed') {
        throw runChanged()
      }
      return outcome
    },

    takeRun: (endpoint, token, leaseSeconds) =>
      connection.writeSteps('take a run', () => {
        // Most of the time there is no run, and then nothing is written.
        if (connection.all(anyOpen).length === 0) {
          return undefined
        }
        const [now, span] = [Date.now(), milliseconds(leaseSeconds)]
        if (connection.run(take, token, now + span, now, now, span, endpoint) === 0) {
          return undefined
        }
        const [row] = connection.all<Row>(`${select} WHERE r.token = ?`, token)
        return row && toRun(row)
      }),

    async canaryOutcome(id) {
      const found = await connection.read('look at a canary', () =>
        connection.all<{ id: Uint8Array; state: string }>(canaries, id),
      )
      const failed = found.filter(({ state }) => state === 'failed').map((row) => text(row.id))
      return { open: found.filter(({ state }) => state === 'open').length, failed }
    },

    settleRun: (id, token, { state, isPastCanary, note, leaseSeconds }) =>
      connection.write('settle a run', () => {
        const now = Date.now()
        const isOver = state === 'done' || state === 'stopped'
        const until = isOver ? 0 : now + milliseconds(leaseSeconds)
        const values = [
          state,
          note ?? null,
          until,
          isOver ? now : null,
          isPastCanary ? 1 : 0,
          id,
          token,
        ] as const
        return connection.run(settle, ...values) > 0
      }),
  }
}

/** As SQL. */
const statesBefore = (to: RunChange) => changeableFrom[to].map((state) => `'${state}'`).join(', ')
