import { plannedStates } from '../../../store/action-states.js'
import type { DueAgain, Run } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import { givenUpCause } from '../../../store/failure-log.js'
import { plainReason } from '../../../store/reason.js'
import { type RunItem, StepJudge } from '../../../store/step-judge.js'
import { fromText } from '../connection/text.js'
import { type Database, type Query, type Row, shortly } from '../connection/transactions.js'
import { commitWithJob } from '../events/commit-with-job.js'
import { noteGroup } from '../events/note-group.js'
import { noteReplays, reopened } from '../events/postgres-reopen-event.js'
import { hideEvents } from '../operate/postgres-undo.js'
import { lockRoots, nextItems } from './next-items.js'
import { selectRuns, toRun } from './postgres-runs.js'

/** `$2` reason, `$3` actor. */
const replay = (schema: string) => `
WITH reopened AS (
  UPDATE ${schema}.events SET ${reopened} WHERE key = ANY ($1::text[]) RETURNING key, generation
)${noteReplays(schema)}`

const retryNow = (schema: string) => `
UPDATE ${schema}.events SET due_at = now(), scheduled_at = now() WHERE key = ANY ($1::text[])`

/** `$2` reason, `$3` the group of events that have not failed. */
const giveUp = (schema: string) => `
UPDATE ${schema}.events SET state = 'dead', due_at = NULL, last_error = $2::text,
  failure_group = coalesce(failure_group, $3::text)
WHERE key = ANY ($1::text[])`

/** A step of a busy process may stand still for a moment. */
const leastIdleSeconds = 5

/** Changes the next events of a run, and writes their audits and the place of the run, in one commit. */
export function postgresStep<Tx>(database: Database<Tx>, schema: string): BulkStore<Tx>['step'] {
  const roots = lockRoots(schema)
  const items = nextItems(schema)

  async function hold(query: Query, id: string, token: string) {
    const [held] = await query(
      `SELECT plan, place FROM ${schema}.runs WHERE id = $1::text AND token = $2::text AND state = 'running' FOR UPDATE`,
      [id, token],
    )
    if (!held) {
      return undefined
    }
    const [row] = await query(`${selectRuns(schema)} WHERE r.id = $1::text`, [id])
    const [plan] = await query(`SELECT conditions FROM ${schema}.plans WHERE id = $1::text`, [held.plan])
    const run = toRun(row as Row)
    return { run, states: plannedStates(run.action, JSON.parse(plan?.conditions).state) }
  }

  /** An event that failed stays in its group. For the others the group is noted once for each endpoint and type. */
  async function giveUpAll(query: Query, rows: readonly Row[], reason: string): Promise<void> {
    const alike = new Map<string, Row[]>()
    for (const row of rows) {
      const kind = JSON.stringify([row.endpoint, row.type, row.failure_group === null])
      alike.set(kind, [...(alike.get(kind) ?? []), row])
    }
    for (const [first, ...others] of alike.values()) {
      const { endpoint, type, id, key } = first as Row
      const isNew = first?.failure_group === null
      const group = isNew
        ? await noteGroup(query, schema, { endpoint, type, example: id }, givenUpCause)
        : null
      await query(giveUp(schema), [[key, ...others.map((row) => row.key)], plainReason(reason), group])
    }
  }

  async function apply(query: Query, run: Run, rows: readonly Row[], undoSeconds: number): Promise<void> {
    const keys = rows.map(({ key }) => key)
    const [why, who] = [plainReason(run.reason), plainReason(run.actor)]
    switch (run.action) {
      case 'replay':
        await query(replay(schema), [keys, why, who])
        break
      case 'retryNow':
        await query(retryNow(schema), [keys])
        break
      case 'giveUp':
        await giveUpAll(query, rows, run.reason)
        break
      case 'discard':
        await hideEvents(query, schema, keys, { undoSeconds, run: run.id, reason: why, actor: who })
    }
    await query(
      `INSERT INTO ${schema}.audits (action, endpoint, key, event_id, was, run, reason, actor)
SELECT $1::text, unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($8::text[]), $5::text, $6::text, $7::text`,
      [
        run.action,
        rows.map((row) => row.endpoint),
        keys,
        rows.map((row) => row.id),
        run.id,
        why,
        who,
        rows.map((row) => row.was),
      ],
    )
  }

  /** Keeps the skipped events, with the operator who changed them since the plan, and the events of a canary. */
  async function keepItems(
    query: Query,
    run: Run,
    rows: readonly (Row & { outcome: string })[],
    error?: string,
  ) {
    await query(
      `INSERT INTO ${schema}.run_items (run, place, key, event_id, outcome, failure_group, detail)
SELECT $1::text, i.place, i.key, i.event_id, i.outcome, i.failure_group, CASE i.outcome WHEN 'failed' THEN $7::text
  WHEN 'canary' THEN i.failures::text ELSE (
    SELECT action || ' by ' || actor FROM ${schema}.audits AS a WHERE a.key = i.key ORDER BY a.seq DESC LIMIT 1) END
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $8::int[])
  AS i (place, key, event_id, outcome, failure_group, failures)`,
      [
        run.id,
        rows.map((row) => row.place),
        rows.map((row) => row.key),
        rows.map((row) => row.id ?? null),
        rows.map((row) => row.outcome),
        rows.map((row) => row.failure_group ?? null),
        error ?? null,
        rows.map((row) => failuresAfter(run, row)),
      ],
    )
  }

  return async (id, token, { most, leaseSeconds, undoSeconds, skipFirst }, enqueue) => {
    const texts = {
      doing: 'apply a run',
      whenBusy: 'another transaction stood in the way of a run; it is retried',
      // The lock of a frozen process must not outlive its lease.
      limits: { ...shortly, idleSeconds: Math.max(leaseSeconds, leastIdleSeconds) },
    }
    return commitWithJob(database, texts, async (session, within) => {
      const { query } = session
      const held = await hold(query, id, token)
      if (!held) {
        return undefined
      }
      const { run } = held
      const place = run.count - run.remaining
      const next = [run.plan, place, most]
      if (run.action === 'replay') {
        await query(roots, next)
      }
      const found = await query(items, next)
      const applied: Row[] = []
      const kept: (Row & { outcome: string })[] = []
      const judge = new StepJudge(run.action, held.states, skipFirst !== undefined)
      for (const row of found) {
        const reason = judge.reasonToSkip(itemOf(row))
        if (reason) {
          kept.push({ ...row, outcome: reason, failure_group: null })
          continue
        }
        applied.push(row)
        if (!run.isPastCanary) {
          kept.push({ ...row, outcome: 'canary' })
        }
      }
      if (applied.length > 0) {
        await apply(query, run, applied, undoSeconds)
      }
      if (kept.length > 0) {
        await keepItems(query, run, kept, skipFirst && plainReason(skipFirst))
      }
      const isDueAgain = run.action === 'replay' || run.action === 'retryNow'
      const due = isDueAgain ? applied.map((row) => jobOf(run, row)) : []
      for (const job of due) {
        await within(() => enqueue(session.tx, job))
      }
      const failed = kept.filter((row) => row.outcome === 'failed').length
      await query(
        `UPDATE ${schema}.runs SET place = $2::int, applied = applied + $3::int, failed = failed + $4::int,
  lease_until = now() + make_interval(secs => $5::float8) WHERE id = $1::text`,
        [id, found.at(-1)?.place ?? place, applied.length, failed, leaseSeconds],
      )
      const [moved] = await query(`${selectRuns(schema)} WHERE r.id = $1::text`, [id])
      return { run: toRun(moved as Row), due }
    })
  }
}

const itemOf = (row: Row): RunItem => ({
  planned: row.planned,
  root: row.root,
  found: row.state
    ? {
        state: row.state,
        generation: row.generation,
        isRunning: row.is_running,
        isDue: row.is_due,
        hasOtherVersion: row.has_other_version,
      }
    : undefined,
})

/** A replay counts from the start. */
const failuresAfter = ({ action }: Pick<Run, 'action'>, row: Row): number =>
  action === 'replay' ? 0 : row.failures

const jobOf = ({ action }: Run, row: Row): DueAgain => ({
  key: fromText(row.key),
  type: row.type,
  endpoint: row.endpoint,
  generation: row.generation + (action === 'replay' ? 1 : 0),
  failures: failuresAfter({ action }, row),
  resource: row.resource === null ? undefined : fromText(row.resource),
})
