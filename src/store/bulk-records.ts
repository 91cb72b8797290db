import type { Audit } from './audit-log.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { EventFilter } from './event-filter.js'
import type { InboxState } from './inbox-event.js'

/** What a bulk run does with each event. */
export type BulkAction =
  /** Runs it again: a dead event, or a done one. */
  | 'replay'
  /** Deletes it: a dead event. `undo` can restore it for a time. */
  | 'discard'
  /** Makes it due immediately: a failed event. This does not count as an attempt. */
  | 'retryNow'
  /** Makes it dead, with the reason of the run as its last error: an accepted or a failed event. */
  | 'giveUp'

/** Which events a plan selects. */
export type PlannedFilter = Omit<EventFilter, 'text' | 'root'>

/** A selection of events. It never changes. */
export interface Plan {
  readonly id: string
  readonly endpoint: string
  readonly action: BulkAction
  readonly where: PlannedFilter
  /** The number of its events, at most {@link mostPlanned}. */
  readonly count: number
  /** True if more events met the conditions than a plan can hold. The plan then has the oldest ones. */
  readonly isCapped: boolean
  /** RFC 3339, by the database’s clock. */
  readonly createdAt: string
}

/** The conditions of a plan, from their JSON. Times are kept as text. */
export function conditionsFrom(json: string): PlannedFilter {
  const { since, until, ...rest } = JSON.parse(json)
  return {
    ...rest,
    ...(since && { since: new Date(since) }),
    ...(until && { until: new Date(until) }),
  }
}

/** How many events one plan holds. */
export const mostPlanned = 100_000

export type NewPlan = Pick<Plan, 'id' | 'endpoint' | 'action' | 'where'>

export type PlanQuery = EndpointScope & {
  readonly limit: number
  readonly startsWith?: string | undefined
}

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

/**
 * What became of an event. `accepted` also if `retryNow` has made it due, until it has failed again. `givenUp` if an operator gave it
 * up before it ran. `gone` if it was deleted.
 */
export type AppliedState = InboxState | 'givenUp' | 'gone'

/** An event that a run changed, and what became of it. */
export interface AppliedEvent {
  /** Pass it as `after` to list the next ones. */
  readonly place: number
  readonly key: string
  readonly eventId: string
  /** Its state, or the one before the next change by an operator. So a later replay does not change the outcome of a run. */
  readonly state: AppliedState
  /** Whether an operator has replayed, retried, given up or discarded it since. */
  readonly isChangedSince: boolean
}

/** What became of the events that a run changed. */
export type AppliedStates = Readonly<Record<AppliedState, number>> & {
  /** How many of them an operator has replayed, retried, given up or discarded since. */
  readonly changedSince: number
}

/** What an operator did to a run after its start. */
export interface RunAct extends Audit {
  readonly action: 'pauseRun' | 'resumeRun' | 'cancelRun' | 'undo'
  /** RFC 3339, by the database’s clock. For `undo` the time of the last event. */
  readonly at: string
}

/** How many events of a run one page reads. */
export const mostApplied = 10_000

export const noneApplied: AppliedStates = {
  accepted: 0,
  failed: 0,
  done: 0,
  dead: 0,
  givenUp: 0,
  gone: 0,
  changedSince: 0,
}

/** Counts of {@link AppliedStates}, from one row for each state. */
export function countsOf(
  rows: readonly { readonly state: AppliedState; readonly count: number; readonly since: number }[],
): AppliedStates {
  const changedSince = rows.reduce((sum, { since }) => sum + Number(since), 0)
  return {
    ...noneApplied,
    ...Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])),
    changedSince,
  }
}

/** SQL for the state of an event `e`. One that was made due waits until it has failed again: then its next attempt is later. */
export const stateSql = (e: string): string =>
  `CASE WHEN ${e}.state = 'failed' AND ${e}.due_at = ${e}.scheduled_at THEN 'accepted' ELSE ${e}.state END`

/**
 * SQL for what became of an event. `since` is the first change of it by an operator after that of the run. `was` is the state before
 * that change. A program of an earlier version has not noted it, and only dead events are discarded.
 */
export const becameSql = (now: string): string => `CASE
    WHEN since.was = 'accepted' AND since.action = 'giveUp' THEN 'givenUp'
    WHEN since.was <> 'accepted' THEN since.was
    WHEN since.action = 'discard' THEN 'dead'
    ELSE ${now} END`

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

/** A discarded event or delivery that `undo` can still restore. */
export interface Discarded {
  readonly kind: 'event' | 'delivery'
  /** The key of the event or of the quarantined delivery. */
  readonly key: string
  readonly eventId?: string
  /** Of an event, as it was. */
  readonly type?: string
  readonly resource?: string
  readonly lastError?: string
  /** Until when `undo` is possible. RFC 3339, by the database’s clock. */
  readonly undoUntil: string
  /** True if a later delivery has replaced it, so that `undo` cannot restore it. */
  readonly isReplaced: boolean
}

/** What tells a discard from a later one of the same event or delivery. */
export type SeenDiscard = Pick<Discarded, 'kind' | 'undoUntil'>

/** Where to search for a discard: the key of an event or a delivery, or a run. */
export type DiscardPlace = { readonly endpoint: string } & (
  | { readonly key: string }
  | { readonly run: string }
)

/** What to undo, and what the caller saw of it. */
export type UndoPlace = { readonly endpoint: string } & (
  | { readonly key: string; readonly seen?: SeenDiscard | undefined }
  | { readonly run: string; readonly seen?: SeenRun | undefined }
)
