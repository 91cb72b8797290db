import { invalidOption } from '../errors.js'
import { requireObject } from '../given-options.js'
import { checkedAudit } from './audit-log.js'
import { checkName, checkSeconds, checkText } from './check-values.js'
import { checkScope } from './endpoint-scope.js'
import type { FlowStore, PauseTarget } from './flow-store.js'

/** Checks each argument before it can reach a driver, as `checkedInbox` does. */
export function checkedFlow(flow: FlowStore): FlowStore {
  return {
    ...(flow.checkReports && { checkReports: () => flow.checkReports?.() as Promise<void> }),
    async pause(target, audit) {
      checkTarget(target)
      return flow.pause(target, checkedAudit(audit))
    },
    async resume(target, audit, seen) {
      checkTarget(target)
      const who = checkedAudit(audit)
      if (seen !== undefined) {
        checkText('the time of the pause that was seen', seen?.pausedAt)
      }
      return flow.resume(target, who, seen)
    },
    async paused(scope) {
      checkScope(scope)
      return flow.paused(scope)
    },
    async holds(endpoint) {
      checkName('endpoint', endpoint)
      return flow.holds(endpoint)
    },
    async countFailure(endpoint, type, fingerprint, rule) {
      checkTexts({ endpoint, type, fingerprint })
      checkSeconds('retryAfterSeconds', rule?.retryAfterSeconds)
      if (!Number.isSafeInteger(rule.failures)) {
        throw invalidOption('failures must be a whole number')
      }
      return flow.countFailure(endpoint, type, fingerprint, rule)
    },
    async closeCircuit(endpoint, type) {
      checkTexts({ endpoint, type })
      return flow.closeCircuit(endpoint, type)
    },
    async pruneCircuits(unusedSeconds) {
      checkSeconds('unusedSeconds', unusedSeconds)
      return flow.pruneCircuits(unusedSeconds)
    },
    async startTrial(endpoint, type, seconds) {
      checkTexts({ endpoint, type })
      checkSeconds('seconds', seconds)
      return flow.startTrial(endpoint, type, seconds)
    },
    async beat(worker) {
      requireObject('a worker', worker)
      const { endpoint, id, process, version } = worker
      checkTexts({ endpoint, id, process, version })
      return flow.beat(worker)
    },
    async leave(endpoint, id) {
      checkTexts({ endpoint, id })
      return flow.leave(endpoint, id)
    },
    async workers(endpoint, withinSeconds) {
      checkName('endpoint', endpoint)
      checkSeconds('withinSeconds', withinSeconds)
      return flow.workers(endpoint, withinSeconds)
    },
    async versions(endpoint) {
      checkName('endpoint', endpoint)
      return flow.versions(endpoint)
    },
    async claimOf(key) {
      checkText('key', key)
      return flow.claimOf(key)
    },
    async quarantineCode(endpoint, of) {
      requireObject('of', of)
      checkTexts({ endpoint, of: 'eventId' in of ? of.eventId : of.bodyHash })
      return flow.quarantineCode(endpoint, of)
    },
  }
}

function checkTexts(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    checkName(name, value)
  }
}

function checkTarget(target: PauseTarget): void {
  requireObject('a target', target)
  const { endpoint, type, resource } = target
  checkName('endpoint', endpoint)
  if (type !== undefined && resource !== undefined) {
    throw invalidOption('give a type or a resource, not both')
  }
  for (const name of [type, resource]) {
    if (name !== undefined) {
      checkName('the name', name)
    }
  }
}
