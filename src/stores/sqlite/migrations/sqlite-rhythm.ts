/**
 * Version 11. The index finds the last success of a type that always fails, and the last arrival of a type. An event gets its
 * entry when it is done or dead, not when it is accepted. The table keeps the start of each version, also after its processes
 * have ended.
 */
// With `OR`, and not with `IN`: SQLite proves only then that one state is enough to use the index.
export const sqliteRhythm = `
  CREATE INDEX webhook_inbox_events_ended_by_type
    ON webhook_inbox_events (endpoint, type, state, received_at, seq) WHERE state = 'done' OR state = 'dead';
  CREATE TABLE webhook_inbox_version_starts (
    endpoint    TEXT    NOT NULL,
    version     TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    PRIMARY KEY (endpoint, version)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO webhook_inbox_version_starts (endpoint, version, started_at)
  SELECT endpoint, version, min(started_at) FROM webhook_inbox_workers GROUP BY endpoint, version;
  `
