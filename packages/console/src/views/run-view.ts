import type { Run } from 'webhook-inbox'
import type { RunView } from '../wire.js'

/** A run without the keys of the store. */
export const runView = (run: Run): RunView => ({
  id: run.id,
  action: run.action,
  reason: run.reason,
  actor: run.actor,
  perSecond: run.perSecond,
  canary: run.canary,
  isPastCanary: run.isPastCanary,
  state: run.state,
  changes: run.changes,
  isHeld: run.isHeld,
  count: run.count,
  applied: run.applied,
  skipped: run.skipped as Readonly<Record<string, number>>,
  failed: run.failed,
  restored: run.restored,
  remaining: run.remaining,
  ...(run.note !== undefined && { note: run.note }),
  createdAt: run.createdAt,
  ...(run.endedAt !== undefined && { endedAt: run.endedAt }),
})

/** Who did it and why is for those who may read the audits. */
export const withoutWho = ({ actor: _, reason: __, ...view }: RunView): RunView => view
