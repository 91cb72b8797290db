/** Changes of many events: plans, their runs, and undo. */
import type { Act, ProblemCode } from './answer.js'
import type { EventRow, EventState, Explanation } from './event.js'

export type BulkAction = 'replay' | 'retryNow' | 'giveUp' | 'discard'

/** `POST api/plans`, with the right of the action. It needs no reason, because it changes no event. */
export interface NewPlan {
  readonly action: BulkAction
  /** The conditions as in the URL, with times as text. */
  readonly where?: {
    readonly state?: EventState
    readonly type?: string
    readonly group?: string
    readonly resource?: string
    readonly since?: string
    readonly until?: string
  }
}

export interface PlanView {
  readonly id: string
  readonly action: BulkAction
  readonly count: number
  readonly isCapped: boolean
  readonly createdAt: string
  /** Up to five of the events, some of each cause. None without the action `events:read`. */
  readonly sample: readonly EventRow[]
  /**
   * How many of the failed or dead events each cause has. Absent without the action `events:read`, if the plan is about one cause,
   * and if none of its events has one.
   */
  readonly causes?: PlannedCauses
  /** Only of a replay: of how many of its events a later event of their resource is done. */
  readonly laterDone?: LaterDone
  /** What to know before, as sentences. Without the action `events:read` too. */
  readonly notes: readonly string[]
  /**
   * Up to five operations that may change an event of this plan, newest first. They have not ended, or can be continued after their
   * canary stopped them. Found among the newest 500 operations. None without the action `events:read`.
   */
  readonly underWay: readonly RunView[]
}

export interface PlannedCauses {
  /** How many events were counted: the oldest, at most 5,000. */
  readonly counted: number
  /** Whether there are more than were counted. */
  readonly isCapped: boolean
  /** Up to ten causes, those with the most events first. */
  readonly rows: readonly { readonly group: string; readonly title: string; readonly count: number }[]
  /** How many of the counted events have another cause, or none that is kept. */
  readonly rest: number
}

export interface LaterDone {
  readonly count: number
  /** How many events were looked at: the oldest, at most 1,000, and those of at most 200 resources. */
  readonly lookedAt: number
  /** Whether there are more than were looked at. */
  readonly isCapped: boolean
}

/** `POST api/plans/:id/run`, with the right of the action of the plan. */
export interface RunPlan extends Act {
  readonly perSecond?: number
  readonly canary?: number
  /**
   * The ids of `underWay` that the person was shown. If there is another one now, the response is 409 `under_way`. Without the
   * field, or without the action `events:read`, this is not checked.
   */
  readonly underWay?: readonly string[]
}

/** A run of `GET api/runs`. Also the response of `retry-now` and `give-up`, which are runs over one event. */
export interface RunView {
  readonly id: string
  readonly action: BulkAction
  /** Why and who. Absent without the action `audits:read`, except in the response to one’s own act. */
  readonly reason?: string
  readonly actor?: string
  readonly perSecond: number
  readonly canary: number
  readonly isPastCanary: boolean
  readonly state: 'running' | 'canary' | 'paused' | 'stopped' | 'cancelled' | 'done'
  /** How many times an operator has paused, resumed or cancelled it. */
  readonly changes: number
  /** Whether a process works on it. */
  readonly isHeld: boolean
  readonly count: number
  readonly applied: number
  /** How many were skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  readonly failed: number
  readonly remaining: number
  readonly note?: string
  readonly createdAt: string
  readonly endedAt?: string
  /**
   * What operators did to it after its start, newest first. In the list only for a discard, and for a run that is paused or
   * cancelled.
   */
  readonly acts?: readonly RunActView[]
  /** How many of the discarded events were restored. */
  readonly restored: number
  /** How many of the first `lookedAt` changed events failed again. Only of a run that made events run. */
  readonly failedAgain?: number
  /** How many of the same events wait, or run. */
  readonly waiting?: number
  /** How many of the same events became done. */
  readonly done?: number
  /** How many of the changed events `failedAgain` is about. Fewer than `applied` for a large run, and in a list of large runs. */
  readonly lookedAt?: number
  /** How many of the same events an operator changed again afterwards. */
  readonly changedSince?: number
  /** The conditions of its plan. Absent if the plan is not kept. */
  readonly where?: NewPlan['where'] & { readonly event?: string }
}

export interface RunActView {
  readonly action: 'pauseRun' | 'resumeRun' | 'cancelRun' | 'undo'
  readonly at: string
  /** Who and why. Absent without the action `audits:read`. */
  readonly actor?: string
  readonly reason?: string
}

/** The events of a canary that have not ended. */
export interface CanaryWait {
  readonly count: number
  /** Some of them, and why each does not run. */
  readonly events: readonly (Explanation & { readonly eventId: string })[]
}

/** `GET api/runs/:id` */
export interface RunDetail extends RunView {
  /** What became of its events. Absent if it made none run, or if they could not be read in time. */
  readonly states?: AppliedStates
  /** Why a part is missing, such as `too_slow`. */
  readonly problems?: readonly ProblemCode[]
  /** What the run waits for. Absent unless it waits for its canary. */
  readonly canaryWait?: CanaryWait
  /** Up to 20 events of its canary that failed again. Absent unless its canary failed. */
  readonly canaryFailed?: readonly string[]
  /** The last error of the first of these. Absent once somebody continued the run, because it may be older than that. */
  readonly canaryError?: string
  /** As that of a plan, without this run. Absent unless it is paused, or stopped by its canary. */
  readonly underWay?: readonly RunView[]
  /** Until when `POST api/undo` can restore what it discarded. Absent if nothing can be restored. */
  readonly undoUntil?: string
}

/** `GET api/runs/:id/notes`: what to know before the rest of a replay runs, as sentences. */
export interface RunNotes {
  readonly notes: readonly string[]
}

/** `GET api/runs/:id/left-alone` */
export interface LeftAloneRow {
  readonly place: number
  readonly eventId?: string
  readonly because: string
  /** Who changed the event first, or the error of the queue. Without the action `audits:read` only the error. */
  readonly detail?: string
}

/** The first 10,000 changed events, counted by what became of them. */
export type AppliedStates = Readonly<Record<AppliedRow['state'], number>> & {
  /** How many of them an operator changed again afterwards. That does not change the other counts. */
  readonly changedSince: number
}

/** `GET api/runs/:id/applied?state=` */
export interface AppliedRow {
  readonly eventId: string
  /**
   * What became of it, until an operator changed it again. `givenUp` if that was before it ran. `gone` if it was done and then
   * pruned.
   */
  readonly state: EventState | 'givenUp' | 'gone'
  /** Whether an operator has changed it again. Then its error and its next attempt are left out. */
  readonly isChangedSince: boolean
  /** The last error of an event that is failed or dead. */
  readonly lastError?: string
  /** The next attempt of an event that is failed. */
  readonly retryAt?: string
}

/**
 * `POST api/runs/:id/pause`, `resume` and `cancel`, with the right of the action of the run. `seen` is the `state` and the
 * `changes` that were shown. If an operator changed it since, the answer is 409 `run_changed`. `resume` takes `underWay` as
 * {@link RunPlan} does.
 */
export interface RunChanged {
  /** False if the run has ended by itself. */
  readonly isChanged: boolean
}

/**
 * `POST api/undo`. If it was restored and discarded again, the answer is 409 `discard_changed`. If an operator changed the run since,
 * it is 409 `run_changed`.
 */
export type Undo = Act & (UndoOfOne | UndoOfRun)

interface UndoOfOne {
  /** The id of an event, or the key of a quarantined delivery. */
  readonly of: string
  /** Which of the two. */
  readonly kind: 'event' | 'delivery'
  /** The discard that was shown. */
  readonly seen: { readonly undoUntil: string }
}

interface UndoOfRun {
  /** The id of the run. */
  readonly of: string
  readonly kind?: undefined
  /** The run as it was shown. */
  readonly seen: Pick<RunView, 'state' | 'changes'>
}

export interface Undone {
  readonly undone: number
}
