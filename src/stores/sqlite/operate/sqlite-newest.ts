import { mostCounted } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type CountedState, EventParts, partOf } from './event-parts.js'
import { isMine, type Mine } from './sqlite-counted.js'

/** How many rows one statement reads. The newest event of an endpoint is almost always among the first. */
const mostRows = 100

// A copy has a parent: no sender has sent it. A released event arrived before it was received.
const newest = (state: CountedState) => `
  SELECT max(CASE WHEN parent IS NULL AND delivered_at IS NULL THEN received_at END) AS arrived,
    max(delivered_at) AS delivered
  FROM ${partOf(state, 'received_at, delivered_at, parent, endpoint')} WHERE ${isMine}`

/**
 * When the newest event of a state arrived, in milliseconds since 1970; `undefined` if it finds none. It reads the newest 10,000
 * events at most.
 */
export async function newestOf<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: Mine,
  state: CountedState,
): Promise<number | undefined> {
  const events = new EventParts(connection, { state, order: 'newest' })
  const sql = newest(state)
  let delivered = 0
  for (let read = 0; read < mostCounted && !events.isAtEnd; read += mostRows) {
    const [found] = await events.next(mostRows, (values) =>
      connection.all<{ arrived: number | null; delivered: number | null }>(sql, ...values, ...mine),
    )
    delivered = Math.max(delivered, Number(found?.delivered ?? 0))
    if (found?.arrived != null) {
      return Math.max(Number(found.arrived), delivered)
    }
  }
  return delivered > 0 ? delivered : undefined
}
