import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { text } from '../events/event-row.js'

const newestCopy = `
  SELECT CAST(copy.id AS BLOB) AS id FROM webhook_inbox_events AS original
  JOIN webhook_inbox_events AS copy ON copy.root = coalesce(original.root, original.id)
    AND copy.parent = original.id AND copy.endpoint = original.endpoint
  WHERE original.key = ? ORDER BY copy.seq DESC LIMIT 1`

/** Whether the newest edited copy of an event is among those that the operator saw. Call it in the transaction of the change. */
export function isNewestSeen<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  copies: readonly string[],
): boolean {
  const [newest] = connection.all<{ id: Uint8Array }>(newestCopy, key)
  return newest === undefined || copies.includes(text(newest.id))
}
