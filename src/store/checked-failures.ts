import { invalidOption } from '../errors.js'
import { checkedAudit } from './audit-log.js'
import { checkChoice, checkLimit, checkName, checkSeconds } from './check-values.js'
import { checkScope } from './endpoint-scope.js'
import { type FailureLog, groupActions } from './failure-log.js'
import { checkSeenChanges } from './seen-changes.js'

/** Checks each argument before it can reach a driver, as `checkedInbox` does. */
export function checkedFailures(failures: FailureLog): FailureLog {
  return {
    async groups(query) {
      checkScope(query)
      if (query.state !== undefined) {
        checkState(query.state)
      }
      if (query.empty !== undefined && typeof query.empty !== 'boolean') {
        throw invalidOption('empty must be a boolean')
      }
      if (query.limit !== undefined) {
        checkLimit(query.limit)
      }
      if (query.after !== undefined) {
        checkName('after', query.after)
      }
      return failures.groups(query)
    },
    async setState(endpoint, group, state, audit, seen) {
      checkName('endpoint', endpoint)
      checkName('group', group)
      checkState(state)
      const who = checkedAudit(audit)
      checkSeenChanges(seen)
      return failures.setState(endpoint, group, state, who, seen)
    },
    async prune(unseenSeconds, limit) {
      checkSeconds('unseenSeconds', unseenSeconds)
      checkLimit(limit)
      return failures.prune(unseenSeconds, limit)
    },
  }
}

function checkState(state: unknown): void {
  checkChoice('state', state, Object.keys(groupActions))
}
