import { stateSql } from '../../../store/applied-events.js'
import type { DueAgain, Run, SkipReason } from '../../../store/bulk-run.js'
import type { BulkStore } from '../../../store/bulk-store.js'
import { givenUpCause } from '../../../store/failure-log.js'
import type { Audit, InboxState } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import { type RunItem, StepJudge } from '../../../store/step-judge.js'
import type { Connection } from '../connection/connection.js'
import { milliseconds } from '../connection/milliseconds.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type SqliteTx, WriteList } from '../connection/tx.js'
import { text } from '../events/event-row.js'
import { cutLateLease } from '../events/late-lease.js'
import { reopenEvent } from '../events/sqlite-reopen-event.js'
import { recordAudit } from '../operate/sqlite-audits.js'
import { joinGroup } from '../operate/sqlite-failures.js'
import { hideEvent } from '../operate/sqlite-undo.js'
import { findHeldRun } from './sqlite-runs.js'

const nextItems = `
  SELECT i.place, i.generation AS planned, CAST(i.key AS BLOB) AS key, e.state, ${stateSql('e')} AS was, e.generation, e.failures, e.due_at,
    e.lease_until > ? AS is_running, CAST(e.failure_group AS BLOB) AS failure_group,
    CAST(e.id AS BLOB) AS id, CAST(e.type AS BLOB) AS type, CAST(e.endpoint AS BLOB) AS endpoint,
    CAST(e.resource AS BLOB) AS resource, CAST(e.root AS BLOB) AS root,
    EXISTS (SELECT 1 FROM webhook_inbox_events AS v WHERE v.root = e.root AND v.endpoint = e.endpoint AND v.seq <> e.seq
      AND v.state IN ('accepted', 'failed', 'done')) AS has_other_version
  FROM webhook_inbox_plan_items AS i LEFT JOIN webhook_inbox_events AS e ON e.key = i.key AND e.state <> 'claimed'
  WHERE i.plan = ? AND i.place > ? ORDER BY i.place LIMIT ?`

const actionOf = `
  SELECT action FROM webhook_inbox_plans WHERE id = (SELECT plan FROM webhook_inbox_runs WHERE id = ?)`

const makeDue = 'UPDATE webhook_inbox_events SET due_at = ?, scheduled_at = ? WHERE key = ?'

const giveUp = `UPDATE webhook_inbox_events SET state = 'dead', last_error = ? WHERE key = ?`

const insertItem = `
  INSERT INTO webhook_inbox_run_items (run, place, key, event_id, outcome, detail, failure_group)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

const moveOn = `
  UPDATE webhook_inbox_runs SET place = ?, applied = applied + ?, failed = failed + ?, lease_until = ? WHERE id = ?`

const whoWas = `
  SELECT action, CAST(actor AS BLOB) AS actor FROM webhook_inbox_audits WHERE key = ? ORDER BY seq DESC LIMIT 1`

type Text = Uint8Array | null
type HeldRun = NonNullable<ReturnType<typeof findHeldRun>>
type Enqueue<Database extends SqliteDatabase> = Parameters<BulkStore<SqliteTx<Database>>['step']>[3]

interface Item {
  readonly place: number
  readonly planned: number
  readonly key: Uint8Array
  readonly state: InboxState | null
  readonly was: InboxState
  readonly generation: number
  readonly failures: number
  readonly due_at: number
  readonly is_running: number
  readonly has_other_version: number
  readonly root: Text
  readonly failure_group: Text
  readonly id: Text
  readonly type: Uint8Array
  readonly endpoint: Uint8Array
  readonly resource: Text
}

/** Changes the next events of a run, and writes their audits and the place of the run, in one commit. */
export function sqliteStep<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): BulkStore<SqliteTx<Database>>['step'] {
  const itemsOf = ({ plan, count, remaining }: Run, most: number) => {
    return connection.all<Item>(nextItems, Date.now(), plan, count - remaining, most)
  }

  /** The operator who changed it since the plan. */
  function detailOf(key: string): string | null {
    const [last] = connection.all<{ action: string; actor: Uint8Array }>(whoWas, key)
    return last ? `${last.action} by ${text(last.actor)}` : null
  }

  function change(run: Run, item: Item, undoSeconds: number): void {
    const [key, now] = [text(item.key), Date.now()]
    const audit: Audit = { reason: plainReason(run.reason), actor: plainReason(run.actor) }
    switch (run.action) {
      case 'replay':
        reopenEvent(connection, key, { state: item.state as InboxState, generation: item.generation }, audit)
        break
      case 'retryNow':
        connection.run(makeDue, now, now, key)
        break
      case 'giveUp':
        connection.run(giveUp, audit.reason, key)
        if (!item.failure_group) {
          joinGroup(connection, key, givenUpCause, 'operator')
        }
        break
      case 'discard':
        hideEvent(connection, key, { undoSeconds, run: run.id, ...audit })
    }
    const about = { endpoint: text(item.endpoint), key, run: run.id, ...eventIdOf(item) }
    recordAudit(connection, { action: run.action, ...about, ...audit }, item.was)
  }

  /** Prepares the jobs of the next events. Each has the place of its event. */
  async function jobsOf(
    { run, states }: HeldRun,
    most: number,
    skipsFirst: boolean,
    enqueue: Enqueue<Database>,
  ) {
    const jobs = new Map<number, { readonly job: DueAgain; readonly tx: WriteList<Database> }>()
    const expected = new StepJudge(run.action, states, skipsFirst)
    for (const item of await connection.read('look at a run', () => itemsOf(run, most))) {
      if (!expected.reasonToSkip(runItemOf(item))) {
        const job = jobOf(run, item)
        const tx = new WriteList<Database>()
        await enqueue(tx, job)
        tx.seal()
        jobs.set(Number(item.place), { job, tx })
      }
    }
    return jobs
  }

  return async (id, token, { most, leaseSeconds, undoSeconds, skipFirst }, enqueue) => {
    const skipsFirst = skipFirst !== undefined
    const find = () => findHeldRun(connection, id, token)
    const [found] = await connection.read('look at a run', () =>
      connection.all<{ action: Run['action'] }>(actionOf, id),
    )
    // Only these have jobs. For the others the whole run is read once, because deliveries wait for each read.
    const isDueAgain = found?.action === 'replay' || found?.action === 'retryNow'
    const seen = isDueAgain ? await connection.read('look at a run', find) : undefined
    const jobs = seen && (await jobsOf(seen, most, skipsFirst, enqueue))

    return connection.writePart('apply a run', (database) => {
      const held = find()
      if (!held || (isDueAgain && held.run.remaining !== seen?.run.remaining)) {
        return undefined
      }
      const { run, states } = held
      const due: DueAgain[] = []
      const judge = new StepJudge(run.action, states, skipsFirst)
      const skipped: Partial<Record<SkipReason, number>> = { ...run.skipped }
      let [place, applied, failed] = [run.count - run.remaining, 0, 0]
      for (const item of itemsOf(run, most)) {
        const reason = judge.reasonToSkip(runItemOf(item))
        const key = text(item.key)
        if (item.is_running) {
          cutLateLease(connection, key, Date.now())
        }
        if (reason) {
          if (reason === 'failed') {
            failed++
          } else {
            skipped[reason] = (skipped[reason] ?? 0) + 1
          }
          const detail = reason === 'failed' ? plainReason(skipFirst as string) : detailOf(key)
          connection.run(insertItem, id, item.place, key, idOf(item), reason, detail, null)
        } else {
          const prepared = jobs?.get(Number(item.place))
          // It became possible to change it only after the jobs were prepared. The next step changes it.
          if (jobs && !prepared) {
            break
          }
          change(run, item, undoSeconds)
          if (!run.isPastCanary) {
            const group = item.failure_group && text(item.failure_group)
            const failures = String(failuresAfter(run, item))
            connection.run(insertItem, id, item.place, key, idOf(item), 'canary', failures, group)
          }
          if (prepared) {
            prepared.tx.run(database)
            due.push(prepared.job)
          }
          applied++
        }
        place = Number(item.place)
      }
      connection.run(moveOn, place, applied, failed, Date.now() + milliseconds(leaseSeconds), id)
      const moved = {
        applied: run.applied + applied,
        failed: run.failed + failed,
        remaining: run.count - place,
      }
      return { run: { ...run, ...moved, skipped, isHeld: true }, due }
    })
  }
}

const runItemOf = (item: Item): RunItem => ({
  planned: Number(item.planned),
  root: item.root && text(item.root),
  found: item.state
    ? {
        state: item.state,
        generation: Number(item.generation),
        isRunning: Boolean(item.is_running),
        isDue: Number(item.due_at) <= Date.now(),
        hasOtherVersion: Boolean(item.has_other_version),
      }
    : undefined,
})

/** A replay counts from the start. */
const failuresAfter = ({ action }: Pick<Run, 'action'>, item: Item) =>
  action === 'replay' ? 0 : Number(item.failures)

const idOf = ({ id }: Item) => id && text(id)
const eventIdOf = (item: Item) => {
  const eventId = idOf(item)
  return eventId === null ? {} : { eventId }
}

function jobOf({ action }: Run, item: Item): DueAgain {
  return {
    key: text(item.key),
    type: text(item.type),
    endpoint: text(item.endpoint),
    generation: Number(item.generation) + (action === 'replay' ? 1 : 0),
    failures: failuresAfter({ action }, item),
    resource: item.resource === null ? undefined : text(item.resource),
  }
}
