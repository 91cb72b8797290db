import { invalidOption } from '../errors.js'
import { requireObject } from '../given-options.js'
import { statesFor } from './action-states.js'
import { noneApplied } from './applied-events.js'
import { checkedAudit } from './audit-log.js'
import type { BulkStore } from './bulk-store.js'
import { checkChoice, checkLimit, checkName, checkSeconds, checkText } from './check-values.js'
import type { DiscardPlace, UndoPlace } from './discarded.js'
import { checkScope } from './endpoint-scope.js'
import { checkFilter } from './event-filter.js'
import { checkEventRef } from './event-ref.js'
import { checkSeenChanges } from './seen-changes.js'
import { checkCopies } from './seen-event.js'

const { changedSince: _, ...none } = noneApplied
const states = Object.keys(none)

/** Bulk operations that check each argument before it can reach a driver, as `checkedInbox` does. */
export function checkedBulk<Tx>(bulk: BulkStore<Tx>): BulkStore<Tx> {
  return {
    ...(bulk.largestStep !== undefined && { largestStep: bulk.largestStep }),
    async makePlan(plan) {
      checkName('endpoint', plan?.endpoint)
      checkName('id', plan.id)
      checkChoice('action', plan.action, Object.keys(statesFor))
      checkFilter(plan.where)
      if (Object.hasOwn(plan.where, 'text')) {
        throw invalidOption('a plan selects by no text')
      }
      return bulk.makePlan(plan)
    },
    async readPlan(id) {
      checkName('id', id)
      return bulk.readPlan(id)
    },
    async plans(query) {
      checkScope(query)
      checkLimit(query.limit)
      if (query.startsWith !== undefined) {
        checkText('startsWith', query.startsWith)
      }
      return bulk.plans(query)
    },
    async startRun(run, audit) {
      requireObject('a run', run)
      checkName('id', run.id)
      checkName('plan', run.plan)
      checkSeconds('perSecond', run.perSecond)
      checkLimit(run.canary, 'canary')
      return bulk.startRun(run, checkedAudit(audit))
    },
    async readRun(id) {
      checkName('id', id)
      return bulk.readRun(id)
    },
    async runs(query) {
      checkScope(query)
      if (query.limit !== undefined) {
        checkLimit(query.limit)
      }
      if (query.after !== undefined) {
        checkName('after', query.after)
      }
      return bulk.runs(query)
    },
    async leftAlone(id, query) {
      checkName('id', id)
      requireObject('a query', query)
      checkLimit(query.limit)
      checkLimit(query.after, 'after')
      return bulk.leftAlone(id, query)
    },
    async applied(id, query) {
      checkName('id', id)
      requireObject('a query', query)
      checkLimit(query.limit)
      checkLimit(query.after, 'after')
      if (query.state !== undefined) {
        checkChoice('state', query.state, states)
      }
      return bulk.applied(id, query)
    },
    async appliedStates(id) {
      checkName('id', id)
      return bulk.appliedStates(id)
    },
    async runActs(id) {
      checkName('id', id)
      return bulk.runActs(id)
    },
    async changeRun(id, to, audit, seen) {
      checkName('id', id)
      if (to !== 'running' && to !== 'paused' && to !== 'cancelled') {
        throw invalidOption('a run is changed to running, paused or cancelled')
      }
      const who = checkedAudit(audit)
      checkSeenChanges(seen)
      return bulk.changeRun(id, to, who, seen)
    },
    async takeRun(endpoint, token, leaseSeconds) {
      checkName('endpoint', endpoint)
      checkName('token', token)
      checkSeconds('leaseSeconds', leaseSeconds)
      return bulk.takeRun(endpoint, token, leaseSeconds)
    },
    async step(id, token, options, enqueue) {
      checkName('id', id)
      checkName('token', token)
      requireObject('options', options)
      checkLimit(options.most, 'most')
      checkSeconds('leaseSeconds', options.leaseSeconds)
      checkSeconds('undoSeconds', options.undoSeconds)
      if (options.skipFirst !== undefined) {
        checkText('skipFirst', options.skipFirst)
      }
      return bulk.step(id, token, options, enqueue)
    },
    async canaryOutcome(id) {
      checkName('id', id)
      return bulk.canaryOutcome(id)
    },
    async settleRun(id, token, to) {
      checkName('id', id)
      checkName('token', token)
      requireObject('a state', to)
      checkText('state', to.state)
      checkSeconds('leaseSeconds', to.leaseSeconds)
      if (to.note !== undefined) {
        checkText('note', to.note)
      }
      return bulk.settleRun(id, token, to)
    },
    async discarded(what, limit) {
      checkPlace(what)
      checkLimit(limit)
      return bulk.discarded(what, limit)
    },
    async undo(what, audit, limit) {
      checkPlace(what)
      checkSeenOf(what)
      const who = checkedAudit(audit)
      checkLimit(limit)
      return bulk.undo(what, who, limit)
    },
    async acceptFrom(event, from, audit, enqueue) {
      checkEventRef(event)
      requireObject('from', from)
      checkText('parent or delivery', 'parent' in from ? from.parent : from.delivery)
      if ('parent' in from) {
        checkText('parentKey', from.parentKey)
        checkCopies(from.copies)
      }
      return bulk.acceptFrom(event, from, checkedAudit(audit), enqueue)
    },
    async prunePlans(retentionSeconds, limit) {
      checkSeconds('retentionSeconds', retentionSeconds)
      checkLimit(limit)
      return bulk.prunePlans(retentionSeconds, limit)
    },
    async pruneDiscarded(limit) {
      checkLimit(limit)
      return bulk.pruneDiscarded(limit)
    },
  }
}

function checkPlace(what: DiscardPlace): void {
  requireObject('a place', what)
  checkName('endpoint', what.endpoint)
  checkName('key or run', 'key' in what ? what.key : what.run)
}

function checkSeenOf(what: UndoPlace): void {
  if ('run' in what) {
    checkSeenChanges(what.seen)
  } else if (what.seen !== undefined) {
    checkText('the time of the discard that was seen', what.seen?.undoUntil)
  }
}
