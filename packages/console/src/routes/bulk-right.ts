import type { BulkAction, ConsoleAction } from '../wire.js'

/** The right that each action needs, on one event and on many. */
export const bulkRights: Readonly<Record<BulkAction, ConsoleAction>> = {
  replay: 'events:replay',
  retryNow: 'events:retry',
  giveUp: 'events:give-up',
  discard: 'events:discard',
}

/** A person without any of these rights cannot start a run. */
export const anyBulkRight: readonly ConsoleAction[] = Object.values(bulkRights)
