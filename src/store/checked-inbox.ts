import { invalidOption } from '../errors.js'
import { requireObject } from '../given-options.js'
import { checkedAudit } from './audit-log.js'
import { checkChoice, checkLimit, checkName, checkSeconds, checkText } from './check-values.js'
import { checkedAudits } from './checked-audits.js'
import { checkedBulk } from './checked-bulk.js'
import { checkedFailures } from './checked-failures.js'
import { checkedFlow } from './checked-flow.js'
import { checkedStatistics } from './checked-statistics.js'
import { checkScope } from './endpoint-scope.js'
import { checkFilter } from './event-filter.js'
import { checkDurations, checkEventRef } from './event-ref.js'
import type { FailureCount, Inbox } from './inbox.js'
import { checkCopies, checkSeen } from './seen-event.js'

/**
 * An inbox that checks each argument before it can reach a driver. A driver may abort the process, or spread an array
 * into its parameters, when it gets a value of another type. Rejects with `ConfigurationError` `invalid_option`.
 */
export function checkedInbox<Tx>(inbox: Inbox<Tx>): Inbox<Tx> {
  return {
    ...(inbox.flow && { flow: checkedFlow(inbox.flow) }),
    async accept(event, enqueue) {
      checkEventRef(event)
      return inbox.accept(event, enqueue)
    },
    async read(key) {
      checkText('key', key)
      return inbox.read(key)
    },
    ...(inbox.take && {
      async take(event, durations) {
        requireObject('an event', event)
        checkText('key', event.key)
        if (event.resource !== undefined) {
          checkText('resource', event.resource)
        }
        checkDurations(durations)
        return inbox.take?.(event, durations)
      },
    }),
    async list(query) {
      checkScope(query)
      if (query.limit !== undefined) {
        checkLimit(query.limit)
      }
      checkFilter(query)
      checkBodies(query)
      if (query.order !== undefined) {
        checkChoice('order', query.order, orders)
      }
      if (query.after !== undefined) {
        checkText('after', query.after)
      }
      return inbox.list(query)
    },
    async due(limit, endpoint, filter = {}) {
      checkLimit(limit)
      for (const name of ['onlyTypes', 'exceptTypes', 'exceptResources'] as const) {
        for (const value of filter[name] ?? []) {
          checkName(name, value)
        }
      }
      if (endpoint !== undefined) {
        checkName('endpoint', endpoint)
      }
      checkBodies(filter)
      return inbox.due(limit, endpoint, filter)
    },
    async nextForResource(key) {
      checkText('key', key)
      return inbox.nextForResource(key)
    },
    async postpone(key, retryAfterSeconds, error, cause, at) {
      checkText('key', key)
      checkSeconds('retryAfterSeconds', retryAfterSeconds)
      checkText('error', error)
      checkFailureCount(at)
      return inbox.postpone(key, retryAfterSeconds, error, cause, at)
    },
    async markDead(key, error, cause, at) {
      checkText('key', key)
      checkText('error', error)
      checkFailureCount(at)
      return inbox.markDead(key, error, cause, at)
    },
    async requeue(key, audit, enqueue, seen, copies) {
      checkText('key', key)
      const who = checkedAudit(audit)
      checkSeen(seen)
      checkCopies(copies)
      return inbox.requeue(key, who, enqueue, seen, copies)
    },
    async quarantine(delivery) {
      requireObject('a delivery', delivery)
      checkText('endpoint', delivery.endpoint)
      checkText('code', delivery.code)
      checkText('bodyHash', delivery.bodyHash)
      if (delivery.eventId !== undefined) {
        checkText('eventId', delivery.eventId)
      }
      if (!(delivery.body instanceof Uint8Array)) {
        throw invalidOption('body must be bytes')
      }
      return inbox.quarantine(delivery)
    },
    async acceptDead(event, code, reason) {
      checkEventRef(event)
      checkText('code', code)
      checkText('reason', reason)
      return inbox.acceptDead(event, code, reason)
    },
    async quarantined(query) {
      checkScope(query)
      if (query.order !== undefined) {
        checkChoice('order', query.order, orders)
      }
      if (query.limit !== undefined) {
        checkLimit(query.limit)
      }
      if (query.after !== undefined) {
        checkLimit(query.after, 'after')
      }
      for (const name of ['code', 'eventId'] as const) {
        if (query[name] !== undefined) {
          checkText(name, query[name])
        }
      }
      checkBodies(query)
      return inbox.quarantined(query)
    },
    ...(inbox.readQuarantined && {
      async readQuarantined(key) {
        checkName('key', key)
        return inbox.readQuarantined?.(key)
      },
    }),
    async discard(key, audit, undoSeconds = 0, seen = undefined) {
      checkName('key', key)
      const who = checkedAudit(audit)
      checkSeen(seen)
      checkSeconds('undoSeconds', undoSeconds)
      return inbox.discard(key, who, undoSeconds, seen)
    },
    async pruneQuarantine(retentionSeconds, limit) {
      checkSeconds('retentionSeconds', retentionSeconds)
      checkLimit(limit)
      return inbox.pruneQuarantine(retentionSeconds, limit)
    },
    health: () => inbox.health(),
    ...(inbox.statistics && { statistics: checkedStatistics(inbox.statistics) }),
    ...(inbox.failures && { failures: checkedFailures(inbox.failures) }),
    ...(inbox.auditLog && { auditLog: checkedAudits(inbox.auditLog) }),
    ...(inbox.bulk && { bulk: checkedBulk(inbox.bulk) }),
  }
}

function checkBodies({ bodies }: { readonly bodies?: unknown }): void {
  if (bodies !== undefined && typeof bodies !== 'boolean') {
    throw invalidOption('bodies must be a boolean')
  }
}

const orders = ['oldest', 'newest']

function checkFailureCount(at: FailureCount | undefined): void {
  if (at !== undefined && !(Number.isSafeInteger(at?.generation) && Number.isSafeInteger(at.failures))) {
    throw invalidOption('at must have a generation and failures, two whole numbers')
  }
}
