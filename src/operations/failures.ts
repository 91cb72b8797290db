import { targetNotFound } from '../errors.js'
import { givenOptions } from '../given-options.js'
import type { Settings } from '../options/settings.js'
import { type FailureGroup, type GroupState, groupActions, type SeenGroup } from '../store/failure-log.js'
import type { Audit } from '../store/inbox.js'
import { checkId, requireAudit, type ScopeOption, scopeOf } from './check-arguments.js'
import { capability } from './inbox-of.js'

/** Which groups of failures to list. */
export interface FailureQuery extends ScopeOption {
  /** Default: every state. */
  readonly state?: GroupState | undefined
  /** Also groups that hold nothing any more, because their events were replayed, done or discarded. Default false. */
  readonly empty?: boolean | undefined
  /** The maximum number of groups. Default 100. */
  readonly limit?: number | undefined
  /** The `group` of the last group of the previous page. */
  readonly after?: string | undefined
}

/** A condition of a change of a group. */
export interface GroupOptions {
  /**
   * The group as the caller saw it, for example as `failures` returned it. If its state has changed since, also if it was resolved
   * and failed again, the call changes nothing and rejects with `ConflictError` `group_changed`.
   */
  readonly seen?: SeenGroup | undefined
}

/** Failures by their cause. Each rejects with `ConfigurationError` `invalid_store` on a store that keeps no groups. */
export interface FailureOperations {
  /**
   * The groups of events and deliveries that failed for one cause, last seen first, 100 by default. A group without events is
   * kept for `retentionSeconds` after its last failure, with its state. It is listed only with `empty: true`.
   */
  failures(query?: FailureQuery): Promise<FailureGroup[]>
  /**
   * Marks a group of this endpoint as known. Checks no permissions. The audit is kept. Rejects with `target_not_found` for
   * an unknown group, and with `invalid_option` for an empty reason or actor. With `seen` it does not overwrite what somebody else did since.
   */
  acknowledgeGroup(group: string, audit: Audit, options?: GroupOptions): Promise<void>
  /** Marks the cause of a group as fixed, under the same conditions. The next failure of this cause opens the group again. */
  resolveGroup(group: string, audit: Audit, options?: GroupOptions): Promise<void>
  /** Opens a group again that was acknowledged or resolved by mistake, under the same conditions. */
  reopenGroup(group: string, audit: Audit, options?: GroupOptions): Promise<void>
}

export function failureOperations(settings: Settings): FailureOperations {
  const { endpoint } = settings

  async function setState(
    group: unknown,
    state: GroupState,
    audit: Audit,
    options: GroupOptions = {},
  ): Promise<void> {
    const verb = groupActions[state]
    requireAudit(verb, audit)
    const { reason, actor } = audit
    const { seen } = givenOptions(verb, options, ['seen']) as GroupOptions
    const id = checkId('group', group)
    const failures = capability(settings, 'failures')
    if (!(await failures.setState(endpoint, id, state, { reason, actor }, seen))) {
      throw targetNotFound(`${verb} found no group ${id} in this endpoint`)
    }
  }

  return {
    async failures(query = {}) {
      const page = givenOptions('failures', query, ['state', 'empty', 'limit', 'after', 'allEndpoints'])
      return capability(settings, 'failures').groups({ ...page, ...scopeOf(page, endpoint) })
    },

    acknowledgeGroup: (group, audit, options) => setState(group, 'acknowledged', audit, options),
    resolveGroup: (group, audit, options) => setState(group, 'resolved', audit, options),
    reopenGroup: (group, audit, options) => setState(group, 'open', audit, options),
  }
}
