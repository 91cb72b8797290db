/**
 * The pauses and circuits, and the processes that run events. A circuit is open if `retry_at` is set. The indexes by type
 * let a search skip the events of a paused type without reading them. A resource may be longer than an index entry, so the
 * hash of a name is indexed.
 */
export const flowTables = (schema: string) => `
CREATE TABLE IF NOT EXISTS ${schema}.pauses (
  seq       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint  text NOT NULL,
  kind      text COLLATE "C" NOT NULL CHECK (kind IN ('endpoint', 'type', 'resource')),
  name      text COLLATE "C" NOT NULL,
  reason    text NOT NULL,
  actor     text NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS pauses_by_target ON ${schema}.pauses (endpoint, kind, md5(name));

CREATE TABLE IF NOT EXISTS ${schema}.circuits (
  endpoint    text NOT NULL,
  type        text NOT NULL,
  fingerprint text NOT NULL,
  failures    integer NOT NULL,
  retry_at    timestamptz,
  trial_until timestamptz,
  PRIMARY KEY (endpoint, type)
);

CREATE TABLE IF NOT EXISTS ${schema}.workers (
  endpoint   text NOT NULL,
  id         text NOT NULL,
  process    text NOT NULL,
  version    text NOT NULL,
  limited    text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (endpoint, id)
);

CREATE INDEX IF NOT EXISTS events_accepted_by_type ON ${schema}.events (endpoint, type, due_at, seq)
  WHERE state = 'accepted';
CREATE INDEX IF NOT EXISTS events_failed_by_type ON ${schema}.events (endpoint, type, due_at, seq)
  WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS quarantine_by_event ON ${schema}.quarantine (endpoint, event_id);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (6, 1) ON CONFLICT DO NOTHING;
`
