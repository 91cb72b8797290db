import { invalidOption } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { type FailureGroup, type GroupState, groupActions } from '../store/failure-log.js'
import type { Audit } from '../store/inbox.js'
import { checkId, requireAudit, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability } from './inbox-of.js'

/** Which groups of failures to list. */
export interface FailureQuery extends ScopeOption {
  /** Default: every state. */
  readonly state?: GroupState | undefined
  /** The maximum number of groups. Default 100. */
  readonly limit?: number | undefined
  /** The `group` of the last group of the previous page. */
  readonly after?: string | undefined
}

/** Failures by their cause. Each rejects with `ConfigurationError` `invalid_store` on a store that keeps no groups. */
export interface FailureOperations {
  /**
   * The groups of events and deliveries that failed for one cause, last seen first, 100 by default. A group stays while it has
   * events, and for `retentionSeconds` after its last failure.
   */
  failures(query?: FailureQuery): Promise<FailureGroup[]>
  /**
   * Marks a group of this endpoint as known. Checks no permissions. The audit is kept. Rejects with `invalid_option` for an
   * unknown group, or an empty reason or actor.
   */
  acknowledgeGroup(group: string, audit: Audit): Promise<void>
  /** Marks the cause of a group as fixed, under the same conditions. The next failure of this cause opens the group again. */
  resolveGroup(group: string, audit: Audit): Promise<void>
  /** Opens a group again that was acknowledged or resolved by mistake, under the same conditions. */
  reopenGroup(group: string, audit: Audit): Promise<void>
}

export function failureOperations(settings: Settings): FailureOperations {
  const { endpoint } = settings

  async function setState(group: unknown, state: GroupState, audit: Audit): Promise<void> {
    const verb = groupActions[state]
    requireAudit(verb, audit)
    const { reason, actor } = audit
    const id = checkId('group', group)
    if (!(await capability(settings, 'failures').setState(endpoint, id, state, { reason, actor }))) {
      throw invalidOption(`${verb} found no group ${id} in this endpoint`)
    }
  }

  return {
    async failures(query = {}) {
      const page = givenOptions('failures', query, ['state', 'limit', 'after', 'allEndpoints'])
      return capability(settings, 'failures').groups({ ...page, ...scopeOf(page, endpoint) })
    },

    acknowledgeGroup: (group, audit) => setState(group, 'acknowledged', audit),
    resolveGroup: (group, audit) => setState(group, 'resolved', audit),
    reopenGroup: (group, audit) => setState(group, 'open', audit),
  }
}
