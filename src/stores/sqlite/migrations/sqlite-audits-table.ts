/**
 * One log of all changes by operators. It begins with the rows of `replays` and `discards`. The store still writes these two
 * tables, for programs of the previous version and for reports of the user.
 */
export const sqliteAuditsTable = `
  CREATE TABLE webhook_inbox_audits (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    action    TEXT    NOT NULL,
    endpoint  TEXT,
    key       TEXT,
    event_id  TEXT,
    subject   TEXT,
    run       TEXT,
    reason    TEXT    NOT NULL,
    actor     TEXT    NOT NULL
  ) STRICT;
  CREATE INDEX webhook_inbox_audits_by_endpoint ON webhook_inbox_audits (endpoint, seq);
  CREATE INDEX webhook_inbox_audits_by_key ON webhook_inbox_audits (key, seq) WHERE key IS NOT NULL;
  CREATE INDEX webhook_inbox_audits_by_run ON webhook_inbox_audits (run, seq) WHERE run IS NOT NULL;

  INSERT INTO webhook_inbox_audits (at, action, endpoint, key, event_id, reason, actor)
  SELECT at, action, endpoint, key, event_id, reason, actor FROM (
    SELECT r.replayed_at AS at, 'replay' AS action, e.endpoint, r.key, e.id AS event_id, r.reason, r.actor
    FROM webhook_inbox_replays AS r LEFT JOIN webhook_inbox_events AS e ON e.key = r.key
    UNION ALL
    SELECT discarded_at, 'discard', NULL, key, event_id, reason, actor FROM webhook_inbox_discards
  ) ORDER BY at;
`
