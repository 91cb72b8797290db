import type { Query } from './database.js'
import { postgresFault } from './fault.js'
import type { Statements } from './statements.js'

/** How many events a step takes, in a transaction of its own. */
const largestStep = 100

/** How many times as long as a step took the server is left to deliveries before the next. */
const restFactor = 4
/** In milliseconds: a step that waited for another transaction says nothing of the server. */
const longestRest = 250

/** By the order of pruning: before every event. */
const first = ['-infinity', '0']

/**
 * Forgets in small steps, rests between them, and waits for no flush: what a crash brings back is forgotten again. In one
 * statement of a thousand without a rest it made the slowest hundredth of deliveries beside it two to five times as slow.
 *
 * A step goes on where the one before it ended: the index holds what was deleted until the next vacuum, and each step
 * that read past all of it took longer than the one before.
 */
export function postgresPrune(query: Query, sql: Statements) {
  let place = first
  let restsUntil = 0

  return async (doneBefore: Date, limit: number): Promise<number> => {
    try {
      for (let total = 0, isEnd = false; ; ) {
        const most = Math.min(largestStep, limit - total)
        if (isEnd || most <= 0) return total
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, restsUntil - performance.now())))
        const from = place
        const began = performance.now()
        const [last] = await query(sql.prune, [doneBefore.toISOString(), most, ...from])
        const ended = performance.now()
        restsUntil = ended + Math.min(longestRest, restFactor * (ended - began))
        const count: number = last?.count ?? 0
        total += count
        place = count < most ? first : [last?.received_at, last?.seq]
        // Where no more is found after a place, something before it may be free in the meantime.
        isEnd = count < most && from === first
      }
    } catch (error) {
      throw postgresFault('forget events', error)
    }
  }
}
