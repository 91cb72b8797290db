import { invalidOption, targetNotFound } from '../errors.js'
import { givenOptions, readable } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import type { AppliedEvent, AppliedState, AppliedStates } from '../store/applied-events.js'
import type { Plan } from '../store/bulk-plan.js'
import type { LeftAlone, Run, RunAct, SeenRun } from '../store/bulk-run.js'
import type { BulkStore } from '../store/bulk-store.js'
import { checkLimit } from '../store/check-values.js'
import type { Audit } from '../store/inbox.js'
import type { RunChange } from '../store/run-change.js'
import { checkId, requireAudit, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability, ofEndpoint, queueFor } from './inbox-of.js'

/** A run of a plan. A process that has called `start()` applies it in the background. */
export interface BulkRun {
  readonly id: string
  /** Reads the current state of the run. */
  progress(): Promise<Run>
  /** The events that the run skipped, and why, in the order of the plan. `after` is the last `place` of the previous page. */
  leftAlone(query?: {
    readonly limit?: number | undefined
    readonly after?: number | undefined
  }): Promise<LeftAlone[]>
  /**
   * The events that the run changed, and what became of each until an operator changed it again. `after` is the last `place` of the
   * previous page. With `state` it looks at the next 10,000 changed events only, so a short page is not always the last one.
   */
  applied(query?: {
    readonly limit?: number | undefined
    readonly after?: number | undefined
    readonly state?: AppliedState | undefined
  }): Promise<AppliedEvent[]>
  /** Counts what became of the first 10,000 changed events, until an operator changed them again. */
  appliedStates(): Promise<AppliedStates>
  /**
   * Who paused, resumed, cancelled or undid the run, and why, newest first. Looks at the newest 10,000 audits of the run. All
   * undos by one person with the same reason are one entry.
   */
  acts(): Promise<RunAct[]>
  /** Pauses the run until `resume`. Resolves to false if it has ended, or is paused already. */
  pause(audit: Audit, options?: RunChangeOptions): Promise<boolean>
  /** Continues after a pause. After a failed or unfinished canary, continues with the other events. */
  resume(audit: Audit, options?: RunChangeOptions): Promise<boolean>
  /** Ends the run. Changes that were made stay. Resolves to false if it has ended already. */
  cancel(audit: Audit, options?: RunChangeOptions): Promise<boolean>
  /** Resolves when the run is done, cancelled, or stopped by its canary. Asks the store from time to time. */
  finished(): Promise<Run>
}

/** A condition of a change of a run. */
export interface RunChangeOptions {
  /**
   * The run as the caller saw it, for example as `progress` returned it. If an operator has paused, resumed or cancelled it since,
   * the call changes nothing and rejects with `ConflictError` `run_changed`. So does `resume` if its canary has failed since.
   */
  readonly seen?: SeenRun | undefined
}

export interface RunOptions extends Audit {
  /** The maximum number of events that it changes per second. Default 100. */
  readonly perSecond?: number | undefined
  /**
   * How many events it changes first. The others wait until these are done. The run stops if one of them is dead, or fails
   * with the same cause again. 0: no canary. Default: 5 for `replay`, otherwise 0. `giveUp` and `discard` do not wait, because they
   * run no events.
   */
  readonly canary?: number | undefined
}

/** The methods of runs. */
export interface RunOperations {
  /**
   * Starts a run of a plan, and resolves when the run is recorded. A process that has called `start()` on a receiver of
   * this endpoint applies it, and another one takes over if that process dies. Each event is changed once. The run skips an
   * event that changed after the plan, and keeps the reason.
   */
  run(plan: Plan | string, options: RunOptions): Promise<BulkRun>
  /** The run of this endpoint under an id; `undefined` if none is kept. */
  findRun(id: string): Promise<BulkRun | undefined>
  /**
   * The runs with their current state, newest first, 100 by default. `after` is the id of the last run of the previous
   * page.
   */
  runs(
    query?: { readonly limit?: number | undefined; readonly after?: string | undefined } & ScopeOption,
  ): Promise<Run[]>
}

/** `wake` is called when a run can start. */
export function runOperations(settings: Settings, wake: () => void): RunOperations {
  return {
    async run(plan, options) {
      const bulk = capability(settings, 'bulk')
      const id = checkId(
        'plan',
        readable('plan', () => (typeof plan === 'object' ? plan?.id : plan)),
      )
      const given = givenOptions('run', options, ['reason', 'actor', 'perSecond', 'canary'])
      requireAudit('run', given as Partial<Audit>)
      const stored = ofEndpoint(settings, await bulk.readPlan(id))
      if (!stored) {
        throw targetNotFound(`no plan ${id} is kept`)
      }
      if (stored.action === 'replay' || stored.action === 'retryNow') {
        queueFor(`${stored.action} needs a queue that runs the events`, settings)
      }
      const { perSecond = 100, canary = stored.action === 'replay' ? 5 : 0 } = given
      if (typeof perSecond !== 'number' || !(perSecond > 0 && perSecond <= 1_000_000)) {
        throw invalidOption('perSecond must be a positive number, at most a million')
      }
      checkLimit(canary, 'canary')
      const { reason, actor } = given as unknown as Audit
      const run = { id: `run-${crypto.randomUUID()}`, plan: id, perSecond, canary: canary as number }
      if (!(await bulk.startRun(run, { reason, actor }))) {
        throw targetNotFound(`no plan ${id} is kept`)
      }
      wake()
      return handleOf(bulk, run.id, wake)
    },

    async findRun(id) {
      const bulk = capability(settings, 'bulk')
      return ofEndpoint(settings, await bulk.readRun(checkId('id', id))) && handleOf(bulk, id, wake)
    },

    async runs(query = {}) {
      const page = givenOptions('runs', query, ['limit', 'after', 'allEndpoints'])
      return capability(settings, 'bulk').runs({ ...page, ...scopeOf(page, settings.endpoint) })
    },
  }
}

const firstPage = { limit: 100, after: 0 }
const pageOf = (verb: string, query: object, ...more: readonly string[]): object =>
  givenOptions(verb, query, ['limit', 'after', ...more])

const shortestPause = 100
const longestPause = 1000

function handleOf(bulk: BulkStore<unknown>, id: string, wake: () => void): BulkRun {
  async function progress(): Promise<Run> {
    const run = await bulk.readRun(id)
    if (run) {
      return run
    }
    throw targetNotFound(`no run ${id} is kept`)
  }

  async function change(verb: string, to: RunChange, audit: Audit, options: RunChangeOptions = {}) {
    requireAudit(verb, audit)
    const { reason, actor } = audit
    const { seen } = givenOptions(verb, options, ['seen']) as RunChangeOptions
    const isChanged = await bulk.changeRun(id, to, { reason, actor }, seen)
    wake()
    return isChanged
  }

  return {
    id,
    progress,
    leftAlone: async (query = {}) => bulk.leftAlone(id, { ...firstPage, ...pageOf('leftAlone', query) }),
    applied: async (query = {}) => bulk.applied(id, { ...firstPage, ...pageOf('applied', query, 'state') }),
    appliedStates: async () => bulk.appliedStates(id),
    acts: async () => bulk.runActs(id),
    pause: (audit, options) => change('pause', 'paused', audit, options),
    resume: (audit, options) => change('resume', 'running', audit, options),
    cancel: (audit, options) => change('cancel', 'cancelled', audit, options),

    async finished() {
      for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
        const run = await progress()
        if (run.state === 'done' || run.state === 'cancelled' || run.state === 'stopped') {
          return run
        }
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    },
  }
}
