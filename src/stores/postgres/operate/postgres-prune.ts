import { withFault } from '../connection/postgres-fault.js'
import type { Query } from '../connection/transactions.js'
import type { Statements } from '../events/statements.js'

/** How many events a step takes, in a transaction of its own. */
const largestStep = 100

/** The pause after a step, as a multiple of the time of the step. Deliveries use the server in this pause. */
const restFactor = 4
/** In milliseconds. A step that waited for another transaction says nothing about the server. */
const longestRest = 250

/** Sorts before every event in the order of pruning. */
const first = ['-infinity', '0']

/**
 * Deletes in small steps with pauses, so that deliveries do not wait. It does not wait for the disk. If a crash restores rows,
 * they are deleted again.
 *
 * A step starts where the previous one ended. The index keeps deleted entries until the next vacuum, and reading all of them
 * again would take longer with each step.
 */
export function postgresPrune(query: Query, sql: Statements) {
  let place = first
  let restsUntil = 0

  return (doneBefore: Date, limit: number): Promise<number> =>
    withFault('forget events', async () => {
      for (let total = 0, isEnd = false; ; ) {
        const most = Math.min(largestStep, limit - total)
        if (isEnd || most <= 0) {
          return total
        }
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, restsUntil - performance.now())))
        const from = place
        const began = performance.now()
        const [last] = await query(sql.prune, [doneBefore.toISOString(), most, ...from])
        const ended = performance.now()
        restsUntil = ended + Math.min(longestRest, restFactor * (ended - began))
        const count: number = last?.count ?? 0
        total += count
        place = count < most ? first : [last?.received_at, last?.seq]
        // After the end, rows before the place may be free to delete in the meantime.
        isEnd = count < most && from === first
      }
    })
}
