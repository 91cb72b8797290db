import type { Audit } from '../../../store/inbox.js'
import { plainReason } from '../../../store/reason.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes } from './event-row.js'
import { type DoneRow, withDone } from './sqlite-attempts.js'

const reopen = `
  UPDATE webhook_inbox_events SET state = 'accepted', queued = 1, generation = generation + 1, attempt = 0, failures = 0,
    token = NULL, due_at = ?, scheduled_at = ?, done_at = NULL, forget_at = NULL, last_error = NULL, failure_group = NULL,
    attempts = coalesce(?, attempts), waits = 0 WHERE key = ? AND generation = ? AND state = ?`

const done = `
  SELECT ${asBytes('attempts')}, generation, attempt, done_at FROM webhook_inbox_events
  WHERE key = ? AND state = 'done' AND done_at IS NOT NULL`

// An event that is discarded or pruned leaves its replays. If its sender delivers it again, the generations begin again.
const noteReplay = `
  INSERT INTO webhook_inbox_replays (key, generation, reason, actor, replayed_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key, generation) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, replayed_at = excluded.replayed_at`

/** An event as it was read before. */
export interface ReadState {
  readonly state: string
  readonly generation: number
}

/**
 * Makes an event run again, and keeps why with it. Call it only in `write`, and only if no worker runs the event. Returns false
 * if the event is no longer as it was read. A holder whose lease has passed loses its claim.
 */
export function reopenEvent<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  key: string,
  { state, generation }: ReadState,
  { reason, actor }: Audit,
): boolean {
  const now = Date.now()
  const [last] = connection.all<DoneRow>(done, key)
  if (connection.run(reopen, now, now, last ? withDone(last) : null, key, generation, state) === 0) {
    return false
  }
  connection.run(noteReplay, key, Number(generation) + 1, plainReason(reason), plainReason(actor), now)
  return true
}
