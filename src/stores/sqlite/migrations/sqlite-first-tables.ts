/** Makes the earliest event of a resource the next one to run. */
const callNext = `
  UPDATE webhook_inbox_events SET waits = 0 WHERE seq = (
    SELECT seq FROM webhook_inbox_events
    WHERE endpoint = old.endpoint AND resource = old.resource AND resource IS NOT NULL
      AND state IN ('accepted', 'failed')
    ORDER BY seq LIMIT 1);`

/** Versions 1 to 4. */
export const sqliteFirstTables: readonly string[] = [
  `
  CREATE TABLE webhook_inbox_events (
    seq           INTEGER PRIMARY KEY,
    key           TEXT    NOT NULL UNIQUE,
    -- 'claimed': in work for the first time, without having been accepted; seen by nobody but claims.
    state         TEXT    NOT NULL CHECK (state IN ('claimed', 'accepted', 'failed', 'done', 'dead')),
    -- 1 once accept has committed it together with its job.
    queued        INTEGER NOT NULL,
    generation    INTEGER NOT NULL DEFAULT 0,
    attempt       INTEGER NOT NULL DEFAULT 0,
    failures      INTEGER NOT NULL DEFAULT 0,
    token         TEXT,
    -- Times and spans in milliseconds, times since 1970.
    lease_until   INTEGER NOT NULL DEFAULT 0,
    lease_span    INTEGER NOT NULL DEFAULT 0,
    received_at   INTEGER NOT NULL,
    due_at        INTEGER NOT NULL,
    done_at       INTEGER,
    forget_at     INTEGER,
    last_error    TEXT,
    endpoint      TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    created_at    TEXT    NOT NULL,
    content_hash  TEXT    NOT NULL,
    body          BLOB    NOT NULL
  ) STRICT;
  CREATE INDEX webhook_inbox_events_due ON webhook_inbox_events (endpoint, due_at, seq, state, received_at)
    WHERE state IN ('accepted', 'failed');
  CREATE INDEX webhook_inbox_events_dead ON webhook_inbox_events (seq) WHERE state = 'dead';
  CREATE INDEX webhook_inbox_events_done ON webhook_inbox_events (forget_at) WHERE state = 'done';

  CREATE TABLE webhook_inbox_replays (
    key           TEXT    NOT NULL,
    generation    INTEGER NOT NULL,
    reason        TEXT    NOT NULL,
    actor         TEXT    NOT NULL,
    replayed_at   INTEGER NOT NULL,
    PRIMARY KEY (key, generation)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE webhook_inbox_quarantine (
    seq           INTEGER PRIMARY KEY,
    endpoint      TEXT    NOT NULL,
    content_hash  TEXT    NOT NULL,
    code          TEXT    NOT NULL,
    event_id      TEXT,
    deliveries    INTEGER NOT NULL DEFAULT 1,
    received_at   INTEGER NOT NULL,
    body          BLOB    NOT NULL,
    UNIQUE (endpoint, content_hash)
  ) STRICT;
  `,
  `
  ALTER TABLE webhook_inbox_events ADD COLUMN resource TEXT;
  CREATE INDEX webhook_inbox_events_turn ON webhook_inbox_events (endpoint, resource, seq)
    WHERE resource IS NOT NULL AND state IN ('accepted', 'failed');
  CREATE INDEX webhook_inbox_events_leased ON webhook_inbox_events (endpoint, resource, lease_until)
    WHERE resource IS NOT NULL AND lease_until > 0;
  `,
  // A million events may wait for one of their resource, and the search for due events must not read each of them.
  // The triggers keep `waits` true, whichever program or person ends or deletes the event that they wait for.
  `
  -- 1 only while an earlier event of its resource is neither done nor dead; where it is 0, look whether there is one.
  ALTER TABLE webhook_inbox_events ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
  DROP INDEX webhook_inbox_events_due;
  CREATE INDEX webhook_inbox_events_due ON webhook_inbox_events (endpoint, waits, due_at, seq, state, received_at)
    WHERE state IN ('accepted', 'failed');
  CREATE TRIGGER webhook_inbox_events_ended AFTER UPDATE OF state ON webhook_inbox_events
    WHEN old.resource IS NOT NULL AND old.state IN ('accepted', 'failed') AND new.state NOT IN ('accepted', 'failed')
    BEGIN ${callNext} END;
  CREATE TRIGGER webhook_inbox_events_deleted AFTER DELETE ON webhook_inbox_events
    WHEN old.resource IS NOT NULL AND old.state IN ('accepted', 'failed')
    BEGIN ${callNext} END;
  `,
  `
  -- When due_at was set. A time in the future means that the clock was ahead then, and due_at is not to be trusted.
  ALTER TABLE webhook_inbox_events ADD COLUMN scheduled_at INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX webhook_inbox_events_scheduled ON webhook_inbox_events (scheduled_at)
    WHERE state IN ('accepted', 'failed');

  CREATE INDEX webhook_inbox_quarantine_received ON webhook_inbox_quarantine (received_at);
  -- Who deleted a quarantined delivery or a dead event, and why. 'code' is its code or its last error.
  CREATE TABLE webhook_inbox_discards (
    seq           INTEGER PRIMARY KEY,
    key           TEXT    NOT NULL,
    event_id      TEXT,
    code          TEXT,
    content_hash  TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    actor         TEXT    NOT NULL,
    discarded_at  INTEGER NOT NULL
  ) STRICT;
  `,
]
