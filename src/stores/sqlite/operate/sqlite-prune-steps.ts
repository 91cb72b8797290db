import { performance } from 'node:perf_hooks'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'

/** How many rows one step deletes. Each row is on other pages, because keys are random. */
const step = 48

/** The pause after a step, as a multiple of the time of the step. Deliveries use the event loop and the disk in this pause. */
const restFactor = 6
/** In milliseconds. A step that waited for another process says nothing about the disk. */
const longestRest = 250

/**
 * Deletes up to `limit` rows in small steps and pauses after each. A step joins the next group commit. Then its changes are copied
 * from the log into the file. Without this, SQLite copies a thousand pages together, and deliveries wait for that.
 *
 * `remove` deletes `most` rows in a write, and resolves to how many it found.
 */
export async function pruneInSteps<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  limit: number,
  remove: (most: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const most = Math.min(step, limit - total)
    const startedAt = performance.now()
    const count = await remove(most)
    // Immediately, because another process that prunes would copy the same pages. Before SQLite 3.51.3, a writer on a
    // log that was copied completely may lose a commit of another (sqlite.org/wal.html#walresetbug).
    if (count > 0) {
      connection.checkpoint()
    }
    total += count
    if (count < most || total >= limit) {
      return total
    }
    const rest = Math.min(longestRest, restFactor * (performance.now() - startedAt))
    await new Promise((resolve) => setTimeout(resolve, rest))
  }
}
