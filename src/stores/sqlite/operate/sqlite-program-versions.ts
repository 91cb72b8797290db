import { type VersionStart, versionDays } from '../../../store/flow-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { asBytes, text, time } from '../events/event-row.js'

// If a version starts after another version, its start is recorded again.
const note = `
  INSERT INTO webhook_inbox_version_starts (endpoint, version, started_at) VALUES (?, ?, ?)
  ON CONFLICT (endpoint, version) DO UPDATE SET started_at = excluded.started_at WHERE started_at < (
    SELECT max(started_at) FROM webhook_inbox_version_starts WHERE endpoint = excluded.endpoint)`

const forget = `
  DELETE FROM webhook_inbox_version_starts WHERE endpoint = ? AND version <> ? AND started_at < ?`

const list = `
  SELECT ${asBytes('version')}, started_at FROM webhook_inbox_version_starts WHERE endpoint = ?
  ORDER BY started_at, version`

const day = 86_400_000

/** Records that a process of a version started, and deletes old versions. Call it only in `write`. */
export function noteVersion<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  endpoint: string,
  version: string,
  now: number,
): void {
  connection.run(note, endpoint, version, now)
  connection.run(forget, endpoint, version, now - versionDays * day)
}

export const versionsOf = <Database extends SqliteDatabase>(
  connection: Connection<Database>,
  endpoint: string,
): VersionStart[] =>
  connection
    .all<{ version: Uint8Array; started_at: number }>(list, endpoint)
    .map(({ version, started_at }) => ({
      version: text(version),
      startedAt: time(started_at),
    }))
