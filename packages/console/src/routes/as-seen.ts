import type { AuditAction, AuditEntry, RunAct } from 'webhook-inbox'
import { Problem } from '../problem.js'
import type { ActCall } from './route.js'

/** The state and the number of changes that the page showed. Throws a `Problem` without them. */
export function seenChangesOf<State extends string>({
  seen,
}: ActCall['body']): {
  readonly state: State
  readonly changes: number
} {
  const { state, changes } = Object(seen)
  if (typeof state !== 'string' || !Number.isSafeInteger(changes) || changes < 0) {
    throw new Problem('invalid_request', 'Send the state and the number of changes that were shown, as seen.')
  }
  return { state: state as State, changes }
}

/** As `change`. If the toolkit rejects with `code`, because it is not as the page showed it, throws what `sayNow` resolves to. */
export async function orNow<Value>(
  code: 'pause_changed' | 'group_changed' | 'run_changed' | 'discard_changed',
  change: Promise<Value>,
  sayNow: () => Promise<string>,
): Promise<Value> {
  try {
    return await change
  } catch (error) {
    // By code and not by class, because the program has its own copy of the toolkit.
    throw (error as { code?: unknown }).code === code ? new Problem(code, await sayNow()) : error
  }
}

const past: Readonly<Record<AuditAction, string>> = {
  replay: 'replayed',
  replayEdited: 'run as an edited copy',
  retryNow: 'set to run now',
  giveUp: 'given up',
  verifyAgain: 'released from quarantine',
  startRun: 'started',
  acknowledgeGroup: 'acknowledged',
  resolveGroup: 'resolved',
  reopenGroup: 'opened again',
  pauseRun: 'paused',
  resumeRun: 'resumed',
  cancelRun: 'cancelled',
  undo: 'undone',
  discard: 'discarded',
  pause: 'paused',
  resume: 'resumed',
}

/** What somebody did, when, and why: `It was paused at 2026-01-01T00:00:00Z by Ann: too fast.` */
export const whoDid = (
  { action, at, actor, reason }: Pick<AuditEntry | RunAct, 'at' | 'actor' | 'reason'> & { action: string },
  word = past[action as AuditAction] ?? 'changed',
) => `It was ${word} at ${at} by ${actor}: ${reason.replace(/[^.!?]$/, '$&.')}`
