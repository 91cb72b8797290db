import type { AuditAction } from './audit-log.js'
import type { Run, RunState, SeenRun } from './bulk-run.js'

/** The states that an operator can give a run. */
export type RunChange = 'running' | 'paused' | 'cancelled'

/** From which states each can be given. */
export const changeableFrom: Readonly<Record<RunChange, readonly RunState[]>> = {
  paused: ['running', 'canary'],
  running: ['paused', 'stopped', 'canary'],
  cancelled: ['running', 'canary', 'paused', 'stopped'],
}

/**
 * The state that a run must still have, or null. It starts to wait for its canary by itself, and a pause or a cancel means the same
 * then. To resume it means something else after its canary failed.
 */
export const seenState = (to: RunChange, seen: SeenRun | undefined): RunState | null =>
  to === 'running' ? (seen?.state ?? null) : null

/** What the log of audits calls each. */
export const auditOf: Readonly<Record<RunChange, AuditAction>> = {
  running: 'resumeRun',
  paused: 'pauseRun',
  cancelled: 'cancelRun',
}

/** A run as its audits name it. */
export const aboutRun = ({ id, endpoint }: Run) => ({ run: id, endpoint })
