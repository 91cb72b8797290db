/**
 * One log of all changes by operators. It begins with the rows of `replays` and `discards`. The store still writes these two
 * tables, for programs of the previous version and for reports of the user.
 */
export const auditsTable = (schema: string) => `
CREATE TABLE IF NOT EXISTS ${schema}.audits (
  seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now(),
  action   text NOT NULL,
  endpoint text,
  key      text COLLATE "C",
  event_id text,
  subject  text,
  run      text COLLATE "C",
  reason   text NOT NULL,
  actor    text NOT NULL
);
CREATE INDEX IF NOT EXISTS audits_by_endpoint ON ${schema}.audits (endpoint, seq);
CREATE INDEX IF NOT EXISTS audits_by_key ON ${schema}.audits (key, seq) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS audits_by_run ON ${schema}.audits (run, seq) WHERE run IS NOT NULL;

INSERT INTO ${schema}.audits (at, action, endpoint, key, event_id, reason, actor)
SELECT at, action, endpoint, key, event_id, reason, actor FROM (
  SELECT r.at, 'replay' AS action, e.endpoint, r.key, e.id AS event_id, r.reason, r.actor
  FROM ${schema}.replays AS r LEFT JOIN ${schema}.events AS e ON e.key = r.key
  UNION ALL
  SELECT at, 'discard', NULL, key, event_id, reason, actor FROM ${schema}.discards
) AS earlier
WHERE NOT EXISTS (SELECT FROM ${schema}.audits) ORDER BY at;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (4, 1) ON CONFLICT DO NOTHING;
`
