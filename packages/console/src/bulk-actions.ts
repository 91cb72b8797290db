import type { BulkAction, ConsoleAction, EventState, NewPlan } from './wire.js'

interface ActionOnMany {
  /** The right that it needs, on one event and on many. */
  readonly right: ConsoleAction
  /** Which events it takes. */
  readonly states: readonly EventState[]
}

export const bulkActions: Readonly<Record<BulkAction, ActionOnMany>> = {
  replay: { right: 'events:replay', states: ['dead', 'done'] },
  retryNow: { right: 'events:retry', states: ['failed'] },
  giveUp: { right: 'events:give-up', states: ['accepted', 'failed'] },
  discard: { right: 'events:discard', states: ['dead'] },
}

export const actionNames = Object.keys(bulkActions) as BulkAction[]

/** A person without any of these rights cannot start a run. */
export const anyBulkRight: readonly ConsoleAction[] = actionNames.map((name) => bulkActions[name].right)

/** The states that a plan takes. A replay takes done events only if its plan says so. */
export const statesOf = (action: BulkAction, asked?: EventState): readonly EventState[] =>
  asked ? [asked] : action === 'replay' ? ['dead'] : bulkActions[action].states

/** The conditions that a plan knows. A text of an error or an id is not among them. */
export const planConditions = [
  'state',
  'type',
  'group',
  'resource',
  'since',
  'until',
] as const satisfies readonly (keyof NonNullable<NewPlan['where']>)[]
