import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { pruneInSteps } from './sqlite-prune-steps.js'

/**
 * A row is deleted no sooner than its own retention after it was done. A clock that jumps ahead deletes nothing early,
 * because the newest event is a second clock.
 *
 * Without `likely`, SQLite estimates that ten events are done. Then it reads all of them in each step, and not the index of
 * `forget_at`.
 */
const forget = `
  DELETE FROM webhook_inbox_events WHERE seq IN (
    SELECT seq FROM webhook_inbox_events
    WHERE likely(state = 'done') AND done_at < ? AND forget_at <= min(?, (
      SELECT received_at FROM webhook_inbox_events ORDER BY seq DESC LIMIT 1))
    ORDER BY forget_at LIMIT ?)`

export const prune = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
  doneBefore: Date,
  limit: number,
): Promise<number> =>
  pruneInSteps(connection, limit, (most) =>
    connection.write('prune', () => connection.run(forget, doneBefore.getTime(), Date.now(), most)),
  )
