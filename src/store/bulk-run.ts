import type { Audit } from './audit-log.js'
import type { BulkAction } from './bulk-plan.js'

export type RunState =
  /** A process applies it, or will. */
  | 'running'
  /** Its canary was applied. The rest waits until those events have ended. */
  | 'canary'
  | 'paused'
  /** The canary failed. */
  | 'stopped'
  | 'cancelled'
  | 'done'

/** Why a run skipped an event of its plan. */
export type SkipReason =
  /** Somebody replayed it after the plan was made. */
  | 'already_replayed'
  /** A handler ran it, or another transaction was changing it, such as that of another run. */
  | 'is_running'
  /** It was discarded or pruned. */
  | 'is_gone'
  /** It is no longer in a state to which the action applies. */
  | 'changed_state'
  /** It is due already. */
  | 'is_due'
  /**
   * Its original or an edited copy of it is done, or is to run. A replay of both could act twice. `replay` replays it all the
   * same.
   */
  | 'has_other_version'

export interface Run {
  readonly id: string
  readonly plan: string
  readonly endpoint: string
  readonly action: BulkAction
  readonly reason: string
  readonly actor: string
  readonly perSecond: number
  /** How many events the run changes first. The others wait until these are done. 0: no canary. */
  readonly canary: number
  /** True once the events of the canary are done, or an operator has resumed the run. */
  readonly isPastCanary: boolean
  readonly state: RunState
  /** How many times an operator has paused, resumed or cancelled it. */
  readonly changes: number
  /**
   * Whether a process works on it. False before the first process takes it, and from the end of the lease of a process that was
   * killed.
   */
  readonly isHeld: boolean
  /** How many events the plan holds. */
  readonly count: number
  /** How many were changed. Each has an entry in the audits. */
  readonly applied: number
  /** How many were skipped, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
  /** How many could not be changed, because the queue rejected them. */
  readonly failed: number
  /** How many of the changed events an undo has restored. */
  readonly restored: number
  readonly remaining: number
  /** That its canary failed. Kept when an operator continues the run. */
  readonly note?: string
  readonly createdAt: string
  readonly endedAt?: string
}

/** A run as a caller saw it. */
export type SeenRun = Pick<Run, 'state' | 'changes'>

export type NewRun = Pick<Run, 'id' | 'plan' | 'perSecond' | 'canary'>

/** An event of a plan that was not changed. */
export interface LeftAlone {
  /** The number of the event in its plan. Pass it as `after` to list the next ones. */
  readonly place: number
  readonly key: string
  readonly eventId?: string
  readonly because: SkipReason | 'failed'
  /** Who changed the event first, or the error. */
  readonly detail?: string
}

/** What an operator did to a run after its start. */
export interface RunAct extends Audit {
  readonly action: 'pauseRun' | 'resumeRun' | 'cancelRun' | 'undo'
  /** RFC 3339, by the database’s clock. For `undo` the time of the last event. */
  readonly at: string
}

/** What a queue needs to know of an event that a run makes due. */
export interface DueAgain {
  readonly key: string
  readonly type: string
  readonly endpoint: string
  readonly generation: number
  /** How many attempts of this generation have failed. A replay begins a new generation. Absent: none. */
  readonly failures?: number | undefined
  readonly resource?: string | undefined
}

/** What one step of a run did. */
export interface Step {
  readonly run: Run
  /** The events that can run now. */
  readonly due: readonly DueAgain[]
}

/** What became of the events of a canary. */
export interface CanaryOutcome {
  /** How many have not ended yet. */
  readonly open: number
  /** The ids of dead events, and of events that failed again with the same fingerprint. */
  readonly failed: readonly string[]
}
