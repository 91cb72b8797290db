import type { AuditAction } from './audit-log.js'
import type { Run, RunState } from './bulk-records.js'

/** The states that an operator can give a run. */
export type RunChange = 'running' | 'paused' | 'cancelled'

/** From which states each can be given. */
export const changeableFrom: Readonly<Record<RunChange, readonly RunState[]>> = {
  paused: ['running', 'canary'],
  running: ['paused', 'stopped', 'canary'],
  cancelled: ['running', 'canary', 'paused', 'stopped'],
}

/** What the log of audits calls each. */
export const auditOf: Readonly<Record<RunChange, AuditAction>> = {
  running: 'resumeRun',
  paused: 'pauseRun',
  cancelled: 'cancelRun',
}

/** A run as its audits name it. */
export const aboutRun = ({ id, endpoint }: Run) => ({ run: id, ...(endpoint !== undefined && { endpoint }) })
