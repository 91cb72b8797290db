/**
 * The pauses and circuits, and the processes that run events. The index finds due events by type, so that a search skips the
 * events of a paused type without reading them.
 */
export const sqliteFlowTables = `
  CREATE TABLE webhook_inbox_pauses (
    seq           INTEGER PRIMARY KEY,
    endpoint      TEXT    NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('endpoint', 'type', 'resource')),
    name          TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    actor         TEXT    NOT NULL,
    paused_at     INTEGER NOT NULL,
    UNIQUE (endpoint, kind, name)
  ) STRICT;

  -- Failures in a row of a type. Open where retry_at is set.
  CREATE TABLE webhook_inbox_circuits (
    endpoint      TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    fingerprint   TEXT    NOT NULL,
    failures      INTEGER NOT NULL,
    retry_at      INTEGER,
    trial_until   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint, type)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE webhook_inbox_workers (
    endpoint      TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    process       TEXT    NOT NULL,
    version       TEXT    NOT NULL,
    limited       TEXT    NOT NULL,
    started_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    PRIMARY KEY (endpoint, id)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX webhook_inbox_events_open_by_type ON webhook_inbox_events (endpoint, type, waits, due_at, seq)
    WHERE state IN ('accepted', 'failed');
  CREATE INDEX webhook_inbox_quarantine_by_event ON webhook_inbox_quarantine (endpoint, event_id);
  `
