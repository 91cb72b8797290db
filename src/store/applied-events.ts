import type { InboxState } from './inbox-event.js'

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
