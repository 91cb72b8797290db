import type { AppliedEvent, AppliedState, AppliedStates, mostApplied } from './applied-events.js'
import type { Audit } from './audit-log.js'
import type { NewPlan, Plan, PlanQuery } from './bulk-plan.js'
import type { CanaryOutcome, DueAgain, LeftAlone, NewRun, Run, RunAct, SeenRun, Step } from './bulk-run.js'
import type { Discarded, DiscardPlace, UndoPlace } from './discarded.js'
import type { EndpointScope } from './endpoint-scope.js'
import type { EventRef } from './event-ref.js'
import type { SeenEvent } from './inbox-event.js'
import type { RunChange } from './run-change.js'

/** Where an event without a delivery comes from: the event that was edited, or the key of a quarantined delivery. */
export type Origin = EditedEvent | { readonly delivery: string }

/** The event that was edited. */
export interface EditedEvent {
  readonly parent: string
  readonly parentKey: string
  /** The event as the operator saw it. */
  readonly seen?: SeenEvent | undefined
  /** The ids of its edited copies as the operator saw them. The newest must be among them. */
  readonly copies?: readonly string[] | undefined
}

/**
 * Bulk operations of a store. `inboxSuite` checks its laws.
 *
 * - A plan contains the events that meet its conditions when it is made. Later events are never added.
 * - A step changes events, logs each in the audits, counts them and moves the position of the run in one commit. So a run
 *   changes each event of a plan once, even after a crash.
 * - One process at a time works on a run: `takeRun` returns it again only when its lease has ended. `step` with any other
 *   token changes nothing and resolves to `undefined`.
 * - A run skips an event that changed after the plan, and keeps the reason.
 */
export interface BulkStore<Tx = undefined> {
  makePlan(plan: NewPlan): Promise<Plan>
  /** `undefined` if none is kept under the id. */
  readPlan(id: string): Promise<Plan | undefined>
  /** Newest first. `startsWith` limits them to ids that begin with this text. */
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
  /** What became of the first {@link mostApplied} events that a run changed, until an operator changed them again. */
  appliedStates(id: string): Promise<AppliedStates>
  /** What operators did to a run after its start, newest first. Looks at its newest {@link mostApplied} audits. */
  runActs(id: string): Promise<RunAct[]>
  /**
   * Pauses, resumes or cancels a run that has not ended, and records who did it. Resolves to false if it changed
   * nothing. A run that waits for its canary, or that its canary stopped, continues with the rest when it is resumed.
   *
   * With `seen` it rejects with `ConflictError` `run_changed`, and changes nothing, if an operator has changed the run since. To
   * resume it, its state must be the same too, because its canary may have failed. The transaction of the change compares it.
   */
  changeRun(id: string, to: RunChange, audit: Audit, seen?: SeenRun): Promise<boolean>
  /** Takes the oldest run of an endpoint that can continue and that no other process holds. */
  takeRun(endpoint: string, token: string, leaseSeconds: number): Promise<Run | undefined>
  /** How many events a step should handle at most, so that deliveries do not wait long for it. Default: 10. */
  readonly largestStep?: number
  /**
   * Handles the next `most` events of a run, and extends its lease. `enqueue` writes the job of an event that is replayed
   * through the transaction. Rejects, and changes nothing, if `enqueue` rejects. `skipFirst` skips the next event as failed,
   * with this reason.
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
  /** The outcome of the canary: the events that the run changed first. */
  canaryOutcome(id: string): Promise<CanaryOutcome>
  /**
   * Ends a run (`done`, `stopped`), has it wait for its canary (`canary`), or continue (`running`), and extends its lease.
   * Resolves to false, and changes nothing, if the token is old.
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
   * Restores a discarded event or delivery by its key, or up to `limit` of those that a run discarded. It restores them
   * unchanged, each with an audit. It does not restore one whose time has ended, or that a later delivery has replaced.
   * `found` is how many were still in time.
   *
   * With `seen` it rejects with `ConflictError`, and changes nothing, if that is not so any more: `discard_changed` for another
   * discard, `run_changed` if an operator has changed the run since. The transaction of the undo compares it.
   */
  undo(
    what: UndoPlace,
    audit: Audit,
    limit: number,
  ): Promise<{ readonly found: number; readonly undone: number }>
  /** What `undo` would restore, up to `limit`. Changes nothing. */
  discarded(what: DiscardPlace, limit: number): Promise<Discarded[]>
  /**
   * Accepts an event without a delivery. It is a changed copy of another event, with the id of that event as `parent`. Then both
   * get the `root` of that event, or else its id. Or it comes from a quarantined delivery, which is then deleted. The audit and
   * what `enqueue` writes commit with it. `gone` if the quarantine has no such delivery, otherwise `duplicate` if its key is known:
   * nothing changes then. Rejects with `ConflictError` if the event that was edited is not as `seen`, or has a newer copy than
   * `copies`. Of several calls at the same time only one sees no newer copy.
   */
  acceptFrom(
    event: EventRef,
    from: Origin,
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
