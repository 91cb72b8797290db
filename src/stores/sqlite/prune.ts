import { performance } from 'node:perf_hooks'
import type { Connection } from './connection.js'
import type { SqliteDatabase } from './database.js'

/** A row is forgotten no sooner than its own retention after it was done, as seen from the newest event. */
const forget = `
  DELETE FROM webhook_inbox_events WHERE seq IN (
    SELECT seq FROM webhook_inbox_events WHERE state = 'done' AND done_at < ? AND forget_at <= min(?, (
      SELECT received_at FROM webhook_inbox_events ORDER BY seq DESC LIMIT 1))
    ORDER BY forget_at LIMIT ?)`

/** How long one step may delete, in milliseconds. A row takes 20 µs to milliseconds: bodies differ. */
const longestStep = 2
/** A step takes fewer rows only where they are slow to delete. */
const firstStep = 12
const largestStep = 256
/**
 * How many times as long as the quickest step another may take, with its commit and its copy. Where a disk is slow to sync,
 * whatever the rows, they grow by that: so few of them would be forgotten more slowly than others come.
 */
const longerStep = 1.25

/** How many times as long as a step took the event loop and the disk are left to deliveries after it. */
const rest = 6
/** In milliseconds: a step that waited for another process says nothing of the disk. */
const longestRest = 250

/**
 * Forgets in small steps, each in the commit of the deliveries of its moment, and rests after each.
 *
 * What a step has changed is copied from the log into the file at once. The keys are random, so a row has a page of its
 * own, which takes 17 µs to copy and sync: a thousand at a time, as SQLite does it, held up whoever came for 20 ms.
 */
export async function prune<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  doneBefore: Date,
  limit: number,
): Promise<number> {
  let total = 0
  let quickest = Number.POSITIVE_INFINITY
  for (let step = firstStep; ; ) {
    const most = Math.min(step, limit - total)
    const since = performance.now()
    let [started, deleted] = [since, since]
    const count = await connection.write('prune', () => {
      started = performance.now()
      const changes = connection.run(forget, doneBefore.getTime(), Date.now(), most)
      deleted = performance.now()
      return changes
    })
    // At once: another process that prunes too would have copied the same meanwhile, and who begins on a log that is all
    // copied may lose a commit of the others to SQLite before 3.51.3 (sqlite.org/wal.html#walresetbug).
    if (count > 0) connection.checkpoint()
    const copied = performance.now()
    total += count
    if (count < most || total >= limit) return total
    const took = Math.max(copied - started, 0.001)
    quickest = Math.min(quickest, took)
    const bySync = Math.max((longerStep * quickest) / took, Math.min(1, firstStep / step))
    const growth = Math.min(2, longestStep / (deleted - started), bySync)
    step = Math.max(1, Math.min(largestStep, Math.round(step * growth)))
    const pause = Math.min(longestRest, rest * (copied - since))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
