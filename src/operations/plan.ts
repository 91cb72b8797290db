import { invalidOption } from '../errors.js'
import { givenOptions, shown } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { statesFor } from '../store/action-states.js'
import type { BulkAction, Plan, PlannedFilter } from '../store/bulk-plan.js'
import { checkChoice } from '../store/check-values.js'
import { checkFilter } from '../store/event-filter.js'
import type { InboxState } from '../store/inbox.js'
import { dedupeKey } from '../store/key.js'
import { checkId, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability, ofEndpoint } from './inbox-of.js'

/** The conditions for the events of a plan. An event must meet all of them. */
export interface PlanFilter extends Omit<PlannedFilter, 'key'> {
  /** The id of one event. */
  readonly id?: string | undefined
  /** The endpoint of this receiver. Any other is rejected. */
  readonly endpoint?: string | undefined
}

/** A selection of events, with the methods to run it. */
export interface PlanOperations {
  /**
   * Selects events, at most 100,000 of them, oldest first, and stores the selection. Nothing changes until `run`. Events that
   * are accepted or fail later are not part of it.
   *
   * `replay` takes dead events, or done ones with `state: 'done'`; `discard` dead ones; `retryNow` failed ones; `giveUp`
   * accepted and failed ones. Any other `state` rejects with `invalid_option`.
   */
  plan(plan: { readonly action: BulkAction; readonly where?: PlanFilter | undefined }): Promise<Plan>
  /** The plan of this endpoint under an id; `undefined` if none is kept. */
  findPlan(id: string): Promise<Plan | undefined>
  /** The plans of this endpoint, newest first, 100 by default. `startsWith` limits them to ids that begin with this text. */
  plans(
    query?: { readonly limit?: number | undefined; readonly startsWith?: string | undefined } & ScopeOption,
  ): Promise<Plan[]>
}

const conditions = ['id', 'state', 'type', 'group', 'resource', 'since', 'until', 'endpoint']

export function planOperations(settings: Settings): PlanOperations {
  return {
    async plan(options) {
      const { action, where = {} } = givenOptions('plan', options, ['action', 'where'])
      checkChoice('action', action, Object.keys(statesFor))
      const { endpoint: given, id, ...filter } = givenOptions('where', where, conditions)
      const { endpoint } = settings
      if (given !== undefined && given !== endpoint) {
        throw invalidOption('a receiver plans only for its own endpoint')
      }
      const key = id === undefined ? undefined : await dedupeKey(endpoint, checkId('id', id))
      checkFilter(filter)
      checkState(action as BulkAction, (filter as PlannedFilter).state)
      return capability(settings, 'bulk').makePlan({
        id: `plan-${crypto.randomUUID()}`,
        endpoint,
        action: action as BulkAction,
        where: { ...filter, key },
      })
    },

    async plans(query = {}) {
      const given = givenOptions('plans', query, ['limit', 'startsWith', 'allEndpoints'])
      const { limit = 100, startsWith } = given as typeof query
      return capability(settings, 'bulk').plans({ limit, startsWith, ...scopeOf(given, settings.endpoint) })
    },

    findPlan: async (id) =>
      ofEndpoint(settings, await capability(settings, 'bulk').readPlan(checkId('id', id))),
  }
}

function checkState(action: BulkAction, state: InboxState | undefined): void {
  if (state !== undefined && !statesFor[action].includes(state)) {
    throw invalidOption(
      `${action} takes events that are ${statesFor[action].join(' or ')}, not ${shown(state)}`,
    )
  }
}
