import type { BulkRun, Run } from 'webhook-inbox'
import type { RunView } from '../wire.js'

/** The most events that the store counts by their state. */
const mostCounted = 10_000
/** For one list of runs, the store counts the states of at most this many events. */
const mostOfList = 20_000
/** How many events of a run are read once the list has reached that limit. */
const first = 100

type FailedAgain = Pick<RunView, 'failedAgain' | 'waiting' | 'done' | 'lookedAt'>

/** Whether a list says how many events of a run failed again. */
export const makesEventsRun = ({ action, applied }: Run): boolean =>
  (action === 'replay' || action === 'retryNow') && applied > 0

/** Counts how many events of each run failed again. The limit holds for all runs of one list together. */
export function failedAgainOfList(): (handle: BulkRun, run: Run) => Promise<FailedAgain> {
  let left = mostOfList
  return async (handle, { applied }) => {
    const cost = Math.min(applied, mostCounted)
    if (cost > left) {
      const states = (await handle.applied({ limit: first })).map(({ state }) => state)
      const failed = states.filter((state) => state === 'failed' || state === 'dead')
      const countOf = (wanted: string) => states.filter((state) => state === wanted).length
      const [waiting, done] = [countOf('accepted'), countOf('done') + countOf('gone')]
      return { failedAgain: failed.length, waiting, done, lookedAt: states.length }
    }
    left -= cost
    const { failed, dead, gone, ...others } = await handle.appliedStates()
    // Only done events are pruned.
    const done = others.done + gone
    const lookedAt = failed + dead + others.accepted + done + others.givenUp
    // The states can be newer than the run.
    return {
      failedAgain: Math.min(applied, failed + dead),
      waiting: Math.min(applied, others.accepted),
      done: Math.min(applied, done),
      lookedAt: Math.min(applied, lookedAt),
    }
  }
}
