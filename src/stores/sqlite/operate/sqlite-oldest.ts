import { mostCounted } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type CountedState, EventParts, partOf } from './event-parts.js'
import { isMine, type Mine } from './sqlite-counted.js'

/** How many rows one statement reads. The event that has waited longest is almost always among the first. */
const mostRows = 100

// A replayed event may have arrived long ago, but nobody expected it to run before its replay.
const oldest = (state: CountedState) => `
  SELECT min(coalesce((SELECT max(replayed_at) FROM webhook_inbox_replays AS r WHERE r.key = e.key AND e.generation > 0),
    received_at)) AS at, min(generation) AS generation
  FROM ${partOf(state, 'key, generation, received_at, endpoint')} AS e WHERE ${isMine}`

/**
 * Since when the event that has waited longest waits: from its arrival, or from its last replay. In milliseconds since 1970;
 * `undefined` when none waits. It reads the first 10,000 events of each state.
 */
export async function waitingSince<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: Mine,
): Promise<number | undefined> {
  const times = [await sinceOf('accepted'), await sinceOf('failed')].filter((time) => time !== undefined)
  return times.length > 0 ? Math.min(...times) : undefined

  async function sinceOf(state: CountedState): Promise<number | undefined> {
    const events = new EventParts(connection, { state, order: 'oldest' })
    const found: number[] = []
    for (let read = 0; read < mostCounted && !events.isAtEnd; read += mostRows) {
      const [first] = await events.next(mostRows, (values) =>
        connection.all<{ at: number | null; generation: number }>(oldest(state), ...values, ...mine),
      )
      if (first && first.at !== null) {
        found.push(Number(first.at))
        // Later events arrived after one that was never replayed, so none of them has waited longer.
        if (Number(first.generation) === 0) {
          break
        }
      }
    }
    return found.length > 0 ? Math.min(...found) : undefined
  }
}
