/**
 * Version 8. Every list uses the first index. It contains the columns of all filters, so that rows that do not match are not
 * read.
 */
export const sqliteFailureGroups = `
  -- The group of the failure that made the event failed or dead.
  ALTER TABLE webhook_inbox_events ADD COLUMN failure_group TEXT;
  CREATE INDEX webhook_inbox_events_list ON webhook_inbox_events (state, received_at, seq, type, endpoint);
  CREATE INDEX webhook_inbox_events_group ON webhook_inbox_events (failure_group, state, received_at, seq)
    WHERE failure_group IS NOT NULL;
  CREATE INDEX webhook_inbox_events_resource ON webhook_inbox_events (resource, state, received_at, seq)
    WHERE resource IS NOT NULL;
  CREATE INDEX webhook_inbox_quarantine_code ON webhook_inbox_quarantine (endpoint, code, received_at);

  CREATE TABLE webhook_inbox_failure_groups (
    -- The endpoint, a colon, and the fingerprint of the cause.
    id             TEXT    NOT NULL PRIMARY KEY,
    endpoint       TEXT    NOT NULL,
    code           TEXT,
    title          TEXT    NOT NULL,
    place          TEXT,
    -- A JSON array of the first types that failed so.
    types          TEXT    NOT NULL,
    state          TEXT    NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'acknowledged', 'resolved')),
    first_seen_at  INTEGER NOT NULL,
    last_seen_at   INTEGER NOT NULL,
    example        TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_inbox_failure_groups_seen ON webhook_inbox_failure_groups (endpoint, last_seen_at);
  `
