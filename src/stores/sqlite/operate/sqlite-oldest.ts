import { mostCounted } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'

/** The event that has waited longest is almost always among these. Reading ten thousand takes milliseconds. */
const mostReadFirst = 100

// A replayed event may have arrived long ago, but nobody expected it to run before its replay.
const oldest = `
  SELECT min(coalesce((SELECT max(replayed_at) FROM webhook_inbox_replays AS r WHERE r.key = e.key AND e.generation > 0),
    received_at)) AS at, min(generation) AS generation
  FROM (SELECT key, generation, received_at, endpoint FROM webhook_inbox_events WHERE state = ?
    ORDER BY received_at, seq LIMIT ?) AS e
  WHERE (? OR endpoint = ?)`

/**
 * Since when the event that has waited longest waits: from its arrival, or from its last replay. In milliseconds since 1970;
 * `undefined` when none waits. It reads the first 10,000 events of each state.
 */
export async function waitingSince<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: readonly [isAnyEndpoint: number, endpoint: string],
): Promise<number | undefined> {
  const times = [await sinceOf('accepted'), await sinceOf('failed')].filter((time) => time !== undefined)
  return times.length > 0 ? Math.min(...times) : undefined

  async function sinceOf(state: string): Promise<number | undefined> {
    for (const limit of [mostReadFirst, mostCounted]) {
      const [found] = await connection.readInTurn('find the oldest event', () =>
        connection.all<{ at: number | null; generation: number }>(oldest, state, limit, ...mine),
      )
      // Later events arrived after one that was never replayed, so none of them has waited longer.
      const isCertain = Number(found?.generation) === 0 || limit === mostCounted
      if (found && found.at !== null && isCertain) {
        return Number(found.at)
      }
    }
    return undefined
  }
}
