import type { BulkAction, PlannedFilter } from './bulk-plan.js'
import { statesOf } from './event-filter.js'
import type { InboxState } from './inbox.js'

/** The states to which an action applies. By default a plan takes all of them, but `replay` only takes dead events. */
export const statesFor: Readonly<Record<BulkAction, readonly InboxState[]>> = {
  replay: ['dead', 'done'],
  discard: ['dead'],
  retryNow: ['failed'],
  giveUp: ['accepted', 'failed'],
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
