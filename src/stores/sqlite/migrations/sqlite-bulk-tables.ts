/**
 * Plans, their runs, and discarded events and deliveries that `undo` can still restore. Until then a discarded event stays in
 * its table, with the state `claimed` and another key, so that no program finds it. So `undo` restores all of it.
 */
export const sqliteBulkTables = `
  CREATE TABLE webhook_inbox_plans (
    id          TEXT    NOT NULL PRIMARY KEY,
    endpoint    TEXT,
    action      TEXT    NOT NULL,
    -- The conditions, as JSON.
    conditions  TEXT    NOT NULL,
    count       INTEGER NOT NULL,
    is_capped   INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_inbox_plans_created ON webhook_inbox_plans (created_at);

  CREATE TABLE webhook_inbox_plan_items (
    plan        TEXT    NOT NULL,
    place       INTEGER NOT NULL,
    key         TEXT    NOT NULL,
    generation  INTEGER NOT NULL,
    PRIMARY KEY (plan, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE webhook_inbox_runs (
    seq             INTEGER PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    plan            TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    actor           TEXT    NOT NULL,
    per_second      REAL    NOT NULL,
    canary          INTEGER NOT NULL,
    -- 1 once the events of the canary are done, or an operator has resumed the run.
    is_past_canary  INTEGER NOT NULL,
    state           TEXT    NOT NULL,
    -- The place of the last event that was handled.
    place           INTEGER NOT NULL DEFAULT 0,
    applied         INTEGER NOT NULL DEFAULT 0,
    failed          INTEGER NOT NULL DEFAULT 0,
    note            TEXT,
    token           TEXT,
    lease_until     INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    ended_at        INTEGER
  ) STRICT;
  CREATE INDEX webhook_inbox_runs_open ON webhook_inbox_runs (seq) WHERE state IN ('running', 'canary');

  -- The events that a run left alone, and those of its canary with the failure that they had before.
  CREATE TABLE webhook_inbox_run_items (
    run            TEXT    NOT NULL,
    place          INTEGER NOT NULL,
    key            TEXT    NOT NULL,
    event_id       TEXT,
    outcome        TEXT    NOT NULL,
    detail         TEXT,
    failure_group  TEXT,
    PRIMARY KEY (run, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_inbox_run_items_outcome ON webhook_inbox_run_items (run, outcome);

  CREATE TABLE webhook_inbox_discarded (
    key         TEXT    NOT NULL PRIMARY KEY,
    -- The hidden row of the event. NULL for a quarantined delivery, whose columns follow.
    event_seq   INTEGER,
    event_id    TEXT,
    endpoint    TEXT    NOT NULL,
    run         TEXT,
    undo_until  INTEGER NOT NULL,
    content_hash TEXT,
    code        TEXT,
    deliveries  INTEGER,
    received_at INTEGER,
    body        BLOB
  ) STRICT;
  CREATE INDEX webhook_inbox_discarded_until ON webhook_inbox_discarded (undo_until);
  CREATE INDEX webhook_inbox_discarded_run ON webhook_inbox_discarded (run) WHERE run IS NOT NULL;

  -- The id of the event that this one was copied from.
  ALTER TABLE webhook_inbox_events ADD COLUMN parent TEXT;
`
