import type { AppliedStates, BulkRun, Run } from 'webhook-inbox'
import type { RunView } from '../wire.js'

/** The most events that the store counts by their state. */
const mostCounted = 10_000
/** For one list of runs, the store counts the states of at most this many events. */
const mostOfList = 20_000
/** How many events of a run are read once the list has reached that limit. */
const first = 100

type FailedAgain = Pick<
  RunView,
  'applied' | 'remaining' | 'failedAgain' | 'waiting' | 'done' | 'lookedAt' | 'changedSince'
>

/** Whether a list says how many events of a run failed again. */
export const makesEventsRun = ({ action, applied }: Run): boolean =>
  (action === 'replay' || action === 'retryNow') && applied > 0

/** Counts how many events of each run failed again. The limit holds for all runs of one list together. */
export function failedAgainOfList(): (handle: BulkRun, run: Run) => Promise<FailedAgain> {
  let left = mostOfList
  return async (handle, run) => {
    const { applied, remaining } = run
    const cost = Math.min(applied, mostCounted)
    if (cost > left) {
      const rows = await handle.applied({ limit: first })
      const states = rows.map(({ state }) => state)
      const changedSince = rows.filter(({ isChangedSince }) => isChangedSince).length
      const failed = states.filter((state) => state === 'failed' || state === 'dead')
      const countOf = (wanted: string) => states.filter((state) => state === wanted).length
      const [waiting, done] = [countOf('accepted'), countOf('done') + countOf('gone')]
      const again = { failedAgain: failed.length, waiting, done, lookedAt: states.length, changedSince }
      return { applied, remaining, ...again }
    }
    left -= cost
    return againOf(run, await handle.appliedStates())
  }
}

/**
 * What became of the changed events of a run. `states` was read after the run, so it may count more of them. Then the run has
 * changed these too: each figure is of one moment.
 */
export function againOf({ applied, remaining }: Run, states: AppliedStates): FailedAgain {
  const { failed, dead, gone, accepted, givenUp, changedSince } = states
  // Only done events are pruned.
  const done = states.done + gone
  const lookedAt = failed + dead + accepted + done + givenUp
  const more = Math.max(0, lookedAt - applied)
  return {
    applied: applied + more,
    remaining: Math.max(0, remaining - more),
    failedAgain: failed + dead,
    waiting: accepted,
    done,
    lookedAt,
    changedSince,
  }
}
