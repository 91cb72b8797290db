import type { BulkAction, PlannedFilter, SkipReason } from './bulk-records.js'
import { statesOf } from './event-filter.js'
import type { InboxState } from './inbox.js'

/** An event as a run finds it. */
export interface FoundEvent {
  readonly state: InboxState
  readonly generation: number
  readonly isRunning: boolean
  /** Whether it could run now. */
  readonly isDue: boolean
  /** Whether its original or an edited copy of it is done, or is to run. */
  readonly hasOtherVersion: boolean
}

/** The states to which an action applies. By default a plan takes all of them, but `replay` only takes dead events. */
export const statesFor: Readonly<Record<BulkAction, readonly InboxState[]>> = {
  replay: ['dead', 'done'],
  discard: ['dead'],
  retryNow: ['failed'],
  giveUp: ['accepted', 'failed'],
}

/** Why a run must skip an event; `undefined` if it may change it. `generation` is the generation at the time of the plan. */
export function reasonToSkip(
  { action, states, generation }: { action: BulkAction; states: readonly InboxState[]; generation: number },
  found: FoundEvent | undefined,
): SkipReason | undefined {
  if (!found) {
    return 'is_gone'
  }
  if (found.generation !== generation) {
    return 'already_replayed'
  }
  if (found.isRunning) {
    return 'is_running'
  }
  if (!states.includes(found.state)) {
    return 'changed_state'
  }
  if (action === 'replay' && found.hasOtherVersion) {
    return 'has_other_version'
  }
  return action === 'retryNow' && found.isDue ? 'is_due' : undefined
}

/** The versions of one event that a step replays: only the first, because the others were read before it changed. */
export class ReplayedRoots {
  readonly #roots = new Set<string>()
  readonly #isReplay: boolean

  constructor(action: BulkAction) {
    this.#isReplay = action === 'replay'
  }

  reasonToSkip(root: string | null): SkipReason | undefined {
    return this.#isReplay && root !== null && this.#roots.has(root) ? 'has_other_version' : undefined
  }

  add(root: string | null): void {
    if (root !== null) {
      this.#roots.add(root)
    }
  }
}

/** The states that the events of a plan were in. */
export function plannedStates(action: BulkAction, state: InboxState | undefined): readonly InboxState[] {
  if (state !== undefined) {
    return [state]
  }
  return action === 'giveUp' ? statesFor.giveUp : statesFor[action].slice(0, 1)
}

/**
 * The states that a plan reads. Only failed and dead events belong to a group, even if an earlier version stored a
 * group for others.
 */
export function selectedStates(action: BulkAction, where: PlannedFilter): readonly InboxState[] {
  return plannedStates(action, where.state).filter((state) => statesOf({ ...where, state }).length > 0)
}
