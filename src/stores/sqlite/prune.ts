import { performance } from 'node:perf_hooks'
import type { Connection } from './connection.js'
import type { SqliteDatabase } from './database.js'

/** A row is forgotten no sooner than its own retention after it was done, as seen from the newest event. */
const forget = `
  DELETE FROM webhook_inbox_events WHERE seq IN (
    SELECT seq FROM webhook_inbox_events WHERE state = 'done' AND done_at < ? AND forget_at <= min(?, (
      SELECT received_at FROM webhook_inbox_events ORDER BY seq DESC LIMIT 1))
    ORDER BY forget_at LIMIT ?)`

/** How long one step may hold up the event loop, in milliseconds. A row takes 20 µs to milliseconds: bodies differ. */
const longestStep = 2
const firstStep = 16
const largestStep = 256

/** How many times as long as a step took the event loop and the disk are left to deliveries after it. */
const rest = 4
/** In milliseconds: a step that waited for another process says nothing of the disk. */
const longestRest = 250

/**
 * Forgets in small steps, each in the commit of the deliveries of its moment, and rests after each. On a busy machine a
 * thousand rows in one statement made the slowest hundredth of deliveries 13 times as slow, and so they are twice as slow.
 * On a quiet one, in a table of a million, that hundredth still goes from 1.6 to 12 ms: the pages that were touched are
 * all over the file when SQLite copies them there from its log.
 */
export async function prune<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  doneBefore: Date,
  limit: number,
): Promise<number> {
  let total = 0
  for (let step = firstStep; ; ) {
    const most = Math.min(step, limit - total)
    const since = performance.now()
    let held = 0
    const count = await connection.write('prune', () => {
      const since = performance.now()
      const changes = connection.run(forget, doneBefore.getTime(), Date.now(), most)
      held = performance.now() - since
      return changes
    })
    total += count
    if (count < most || total >= limit) return total
    step = Math.max(1, Math.min(largestStep, Math.round(step * Math.min(2, longestStep / held))))
    const pause = Math.min(longestRest, rest * (performance.now() - since))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
