import type { Audit } from './audit-log.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { EventFilter } from './event-filter.js'
import type { EventRef } from './event-ref.js'
import type { InboxState } from './inbox-event.js'

/** What a bulk run does with each event. */
export type BulkAction =
  /** Runs it again: a dead event, or a done one. */
  | 'replay'
  /** Deletes it, with a window for `undo`: a dead event. */
  | 'discard'
  /** Makes it due immediately, which counts as no attempt: a failed event. */
  | 'retryNow'
  /** Makes it dead, with the reason of the run as its last error: an accepted or a failed event. */
  | 'giveUp'

/** Which events a plan selects. */
export type PlannedFilter = Omit<EventFilter, 'text'>

/** A selection that does not change any more. */
export interface Plan {
  readonly id: string
  readonly endpoint?: string
  readonly action: BulkAction
  readonly where: PlannedFilter
  /** How many events it holds, at most {@link mostPlanned}. */
  readonly count: number
  /** True where more events met the conditions than a plan holds. It holds those that came first. */
  readonly isCapped: boolean
  /** RFC 3339, by the database’s clock. */
  readonly createdAt: string
}

/** How many events one plan holds. */
export const mostPlanned = 100_000

export type NewPlan = EndpointScope & Pick<Plan, 'id' | 'action' | 'where'>

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

/** Why an event of a plan was left alone. */
export type SkipReason =
  /** Somebody replayed it after the plan was made. */
  | 'already_replayed'
  /** A handler runs it now. */
  | 'is_running'
  /** It is not kept any more: discarded or pruned. */
  | 'is_gone'
  /** It is not in the state any more that the action needs. */
  | 'changed_state'
  /** It is due already. */
  | 'is_due'

export interface Run {
  readonly id: string
  readonly plan: string
  readonly endpoint?: string
  readonly action: BulkAction
  readonly reason: string
  readonly actor: string
  readonly perSecond: number
  /** How many events are applied first. The others wait until these are done. 0 where none waits. */
  readonly canary: number
  /** True once the events of the canary are done, or an operator has resumed the run. */
  readonly isPastCanary: boolean
  readonly state: RunState
  /** How many events the plan holds. */
  readonly count: number
  /** How many were changed. Each has an entry in the audits. */
  readonly applied: number
  /** How many were left alone, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
  /** How many could not be changed, because the queue rejected them. */
  readonly failed: number
  readonly remaining: number
  /** Why it stopped. */
  readonly note?: string
  readonly createdAt: string
  readonly endedAt?: string
}

export type NewRun = Pick<Run, 'id' | 'plan' | 'perSecond' | 'canary'>

/** An event of a plan that was not changed. */
export interface LeftAlone {
  /** The number of the event in its plan. Pass it as `after` to list the next ones. */
  readonly place: number
  readonly key: string
  readonly eventId?: string
  readonly because: SkipReason | 'failed'
  /** Who was first, or the error. */
  readonly detail?: string
}

/** The state that an event has now. `gone` where it is not kept any more. */
export type AppliedState = InboxState | 'gone'

/** An event that a run changed, and the state that it has now. */
export interface AppliedEvent {
  /** Pass it as `after` to list the next ones. */
  readonly place: number
  readonly key: string
  readonly eventId: string
  readonly state: AppliedState
}

/** How many events of a run are looked at, from the place where a page begins. */
export const mostApplied = 10_000

export const noneApplied: Readonly<Record<AppliedState, number>> = {
  accepted: 0,
  failed: 0,
  done: 0,
  dead: 0,
  gone: 0,
}

/** What a queue needs to know of an event that a run makes due. */
export interface DueAgain {
  readonly key: string
  readonly type: string
  readonly endpoint: string
  readonly generation: number
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

/** What was discarded, and is within its window for `undo`. */
export interface Discarded {
  readonly kind: 'event' | 'delivery'
  /** The key of the event or of the quarantined delivery. */
  readonly key: string
  readonly eventId?: string
  /** When the window ends. RFC 3339, by the database’s clock. */
  readonly undoUntil: string
  /** True where a later delivery took its place, so that it cannot come back. */
  readonly isReplaced: boolean
}

/** Where a discard is looked for: under the key of an event or a delivery, or in what a run discarded. */
export type DiscardPlace = { readonly endpoint: string } & (
  | { readonly key: string }
  | { readonly run: string }
)

/**
 * Bulk operations of a store. `inboxSuite` checks its laws.
 *
 * - A plan holds the events that meet its conditions when it is made. An event that is accepted, or that fails, later is
 *   never added.
 * - A step changes events, records each in the audits, counts them and moves on in one commit. So each event of a plan is
 *   handled once by a run, whatever crashes.
 * - One process at a time works on a run: `take` hands it out again only when its lease has ended. `step` with any other
 *   token changes nothing and resolves to `undefined`.
 * - An event that changed after the plan is left alone, and the reason is kept.
 */
export interface BulkStore<Tx = undefined> {
  makePlan(plan: NewPlan): Promise<Plan>
  /** `undefined` where none is kept under the id. */
  readPlan(id: string): Promise<Plan | undefined>
  /** Newest first. `startsWith` limits them to ids that begin so. */
  plans(query: PlanQuery): Promise<Plan[]>
  /** Records a run of a plan, with its audit. `undefined` for an unknown plan. */
  startRun(run: NewRun, audit: Audit): Promise<Run | undefined>
  readRun(id: string): Promise<Run | undefined>
  /** Newest first. `after` is the id of the last run of the previous page. */
  runs(query: EndpointScope & { readonly limit?: number; readonly after?: string }): Promise<Run[]>
  /** The events that a run did not change. */
  leftAlone(id: string, query: { readonly limit: number; readonly after: number }): Promise<LeftAlone[]>
  /** The events that a run changed, in the order of the changes. Looks at {@link mostApplied} of them. */
  applied(
    id: string,
    query: { readonly limit: number; readonly after: number; readonly state?: AppliedState | undefined },
  ): Promise<AppliedEvent[]>
  /** In which state the first {@link mostApplied} events that a run changed are now. */
  appliedStates(id: string): Promise<Readonly<Record<AppliedState, number>>>
  /**
   * Pauses, resumes or cancels a run that has not ended, and records who did it. Resolves to false where it changed
   * nothing. A run that waits for its canary, or that its canary stopped, goes on with the rest when it is resumed.
   */
  changeRun(id: string, to: 'running' | 'paused' | 'cancelled', audit: Audit): Promise<boolean>
  /** Takes the oldest run of an endpoint that can go on and that no other process holds. */
  takeRun(endpoint: string, token: string, leaseSeconds: number): Promise<Run | undefined>
  /**
   * Handles the next `most` events of a run, and extends its lease. `enqueue` writes the job of an event that is replayed
   * through the transaction. Rejects, and changes nothing, where `enqueue` rejects. `skipFirst` leaves the next event alone
   * as failed, with this reason.
   */
  step(
    id: string,
    token: string,
    options: {
      readonly most: number
      readonly leaseSeconds: number
      readonly undoSeconds: number
      readonly skipFirst?: string | undefined
    },
    enqueue: (tx: Tx, job: DueAgain) => Promise<void>,
  ): Promise<Step | undefined>
  /** What became of the events that a run with a canary applied first. */
  canaryOutcome(id: string): Promise<CanaryOutcome>
  /**
   * Ends a run (`done`, `stopped`), has it wait for its canary (`canary`), or go on (`running`), and extends its lease.
   * Resolves to false, and changes nothing, where the token is old.
   */
  settleRun(
    id: string,
    token: string,
    to: {
      readonly state: 'running' | 'canary' | 'stopped' | 'done'
      readonly isPastCanary: boolean
      readonly note?: string
      readonly leaseSeconds: number
    },
  ): Promise<boolean>
  /**
   * Brings back a discarded event or delivery by its key, or up to `limit` of those that a run discarded. It leaves one whose
   * window has ended, or whose place a later delivery took. Each with an audit, and exactly as it was. `found` is how many
   * were within their window.
   */
  undo(
    what: DiscardPlace,
    audit: Audit,
    limit: number,
  ): Promise<{ readonly found: number; readonly undone: number }>
  /** What `undo` would find, up to `limit`. Changes nothing. */
  discarded(what: DiscardPlace, limit: number): Promise<Discarded[]>
  /**
   * Accepts an event that no delivery brings. It is the changed copy of another event, whose id it keeps as `parent`, or a
   * delivery from the quarantine, which is deleted there. The audit and what `enqueue` writes commit with it. `duplicate`
   * where its key is known, `gone` where the quarantine has no such delivery: nothing changes then.
   */
  acceptFrom(
    event: EventRef,
    from: { readonly parent: string } | { readonly delivery: string },
    audit: Audit,
    enqueue: (tx: Tx) => Promise<void>,
  ): Promise<'accepted' | 'duplicate' | 'gone'>
  /**
   * Deletes up to `limit` plans with their runs: those that were made longer ago than this, and whose runs have all ended
   * longer ago. What the runs did stays in the audits. Resolves to how many.
   */
  prunePlans(retentionSeconds: number, limit: number): Promise<number>
  /** Deletes up to `limit` discarded events and deliveries whose time to undo has ended. Resolves to how many. */
  pruneDiscarded(limit: number): Promise<number>
}
