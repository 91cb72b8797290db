import type { BulkRun, Receiver, Run, RunState } from 'webhook-inbox'
import { anyBulkRight, bulkActions } from '../bulk-actions.js'
import { Problem } from '../problem.js'
import { replayNotes } from '../replay-notes.js'
import { appliedRows } from '../views/applied-rows.js'
import { canaryFailed } from '../views/canary-failed.js'
import { canaryWaits } from '../views/canary-waits.js'
import { againOf, failedAgainOfList, makesEventsRun } from '../views/failed-again.js'
import { plannedWhere } from '../views/planned-where.js'
import { runActs } from '../views/run-acts.js'
import { runUndo } from '../views/run-undo.js'
import { runView, withoutWho } from '../views/run-view.js'
import { underWay } from '../views/under-way.js'
import type { AppliedRow, LeftAloneRow, Page, RunChanged, RunDetail, RunNotes, RunView } from '../wire.js'
import { orNow, seenChangesOf, whoDid } from './as-seen.js'
import { parts } from './part.js'
import { requireNoOther } from './require-no-other.js'
import { type ActCall, cursorOf, type FoundRight, limitOf, pageOf, placeOf, type Route } from './route.js'

/** So many changed events are left out of the notes on the rest: those of a canary, and those that failed again. */
const mostApplied = 1000

/** A change of a run needs the right of the run's action. */
const ofItsAction: FoundRight = {
  anyOf: anyBulkRight,
  find: async ({ receiver, param }) => bulkActions[(await runOf(receiver, param('id'))).run.action].right,
}

export const runRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/runs',
    action: 'events:read',
    async run({ receiver, options, query, may }): Promise<Page<RunView>> {
      const limit = limitOf(query)
      const isNamed = await may('audits:read')
      const after = cursorOf(query)
      const found = await receiver.runs({ limit: limit + 1, ...(after !== undefined && { after }) })
      const failedAgain = failedAgainOfList()
      const rows: RunView[] = []
      for (const run of found.slice(0, limit)) {
        const where = await plannedWhere(receiver, run, options.mask)
        const handle = isSteered(run) || makesEventsRun(run) ? await receiver.findRun(run.id) : undefined
        const acts = handle && isSteered(run) && (await runActs(handle, isNamed))
        const again = handle && makesEventsRun(run) && (await failedAgain(handle, run))
        rows.push({ ...(isNamed ? runView(run) : withoutWho(runView(run))), ...where, ...acts, ...again })
      }
      const last = rows.at(-1)
      return { rows, ...(found.length > limit && last && { next: last.id }) }
    },
  },
  {
    method: 'GET',
    path: '/runs/:id',
    action: 'events:read',
    async run(call): Promise<RunDetail> {
      const { receiver, options, param, may } = call
      const { handle, run } = await runOf(receiver, param('id'))
      // Read after the run, so the states of a run that has ended are complete.
      const { states, ...missing } = await parts<Pick<RunDetail, 'states'>>(call, {
        states: async () => (makesEventsRun(run) ? handle.appliedStates() : undefined),
      })
      const isNamed = await may('audits:read')
      const plan = isResumable(run) ? await receiver.findPlan(run.plan) : undefined
      const canaryWait = await canaryWaits(receiver, options, handle, run, isNamed)
      return {
        ...(isNamed ? runView(run) : withoutWho(runView(run))),
        ...(states && { states, ...againOf(run, states) }),
        ...missing,
        ...(await plannedWhere(receiver, run, options.mask)),
        ...(await runUndo(receiver, run)),
        ...(await runActs(handle, isNamed)),
        ...(canaryWait && { canaryWait }),
        ...(await canaryFailed(receiver, options, handle, run)),
        ...(plan && { underWay: await underWay(receiver, plan, isNamed, run.id) }),
      }
    },
  },
  {
    method: 'GET',
    path: '/runs/:id/notes',
    action: 'events:read',
    async run({ receiver, param }): Promise<RunNotes> {
      const { handle, run } = await runOf(receiver, param('id'))
      const plan = run.action === 'replay' ? await receiver.findPlan(run.plan) : undefined
      if (!plan || plan.where.key !== undefined) {
        return { notes: [] }
      }
      const changed = new Set((await handle.applied({ limit: mostApplied })).map(({ eventId }) => eventId))
      const { notes } = await replayNotes(receiver, plan.where, ({ id }) => !changed.has(id))
      return { notes }
    },
  },
  {
    method: 'GET',
    path: '/runs/:id/left-alone',
    action: 'events:read',
    async run({ receiver, param, query, may }): Promise<Page<LeftAloneRow>> {
      const limit = limitOf(query)
      const isNamed = await may('audits:read')
      const after = placeOf(query) ?? 0
      const { handle } = await runOf(receiver, param('id'))
      const { rows, next } = pageOf(await handle.leftAlone({ limit: limit + 1, after }), limit)
      const shown = rows.map(({ place, eventId, because, detail }) => ({
        place,
        because,
        ...(eventId !== undefined && { eventId }),
        // Of an event that was skipped, the detail names the person who changed it first.
        ...(detail !== undefined && (isNamed || because === 'failed') && { detail }),
      }))
      return { rows: shown, ...next }
    },
  },
  {
    method: 'GET',
    path: '/runs/:id/applied',
    action: 'events:read',
    async run({ receiver, options, param, query }): Promise<Page<AppliedRow>> {
      const limit = limitOf(query)
      const after = placeOf(query) ?? 0
      const state = query.get('state') as AppliedRow['state'] | null
      const { handle } = await runOf(receiver, param('id'))
      const found = await handle.applied({ limit: limit + 1, after, ...(state && { state }) })
      const { rows, next } = pageOf(found, limit)
      return { rows: await appliedRows(receiver, options, rows), ...next }
    },
  },
  change('pause'),
  change('resume'),
  change('cancel'),
]

function change(verb: 'pause' | 'resume' | 'cancel'): Route {
  return {
    method: 'POST',
    path: `/runs/:id/${verb}`,
    action: ofItsAction,
    async run(call: ActCall): Promise<RunChanged> {
      const { receiver, param, audit, body } = call
      const seen = seenChangesOf<RunState>(body)
      const { handle, run } = await runOf(receiver, param('id'))
      const plan = verb === 'resume' && isResumable(run) ? await receiver.findPlan(run.plan) : undefined
      if (plan) {
        await requireNoOther(call, plan, run.id)
      }
      const sayNow = () => stateNow(call, handle)
      const isChanged = await orNow('run_changed', handle[verb](audit, { seen }), sayNow)
      // It may also have ended by itself.
      if (!isChanged && (await handle.progress()).changes !== seen.changes) {
        throw new Problem('run_changed', await sayNow())
      }
      return { isChanged }
    },
  }
}

/** Who changed the run last, for those who may read that. */
export async function stateNow({ may }: ActCall, handle: BulkRun): Promise<string> {
  const { state } = await handle.progress()
  const [last] = (await may('audits:read')) ? await handle.acts() : []
  const fact = `The operation is ${stateWords[state]} now, not as it was shown.`
  return last ? `${fact} ${whoDid(last)}` : fact
}

const stateWords: Readonly<Record<RunState, string>> = {
  running: 'running',
  canary: 'waiting for its canary',
  paused: 'paused',
  stopped: 'stopped by its canary',
  cancelled: 'cancelled',
  done: 'at its end',
}

/** Whether a person can continue it after a time in which others may have begun. */
const isResumable = ({ state }: Run): boolean => state === 'paused' || state === 'stopped'

/** The run of this endpoint. Throws a `Problem` if none is kept. */
async function runOf(receiver: Receiver, id: string): Promise<{ handle: BulkRun; run: Run }> {
  const handle = await receiver.findRun(id)
  if (!handle) {
    throw new Problem('not_found', 'There is no operation with this id.')
  }
  return { handle, run: await handle.progress() }
}

/** Whether somebody may have changed what the run says of itself. For the other runs of a list the audits are not read. */
const isSteered = ({ action, applied, state }: Run): boolean =>
  (action === 'discard' && applied > 0) || state === 'paused' || state === 'cancelled'
