/**
 * `key` is compared byte by byte: an index under a language’s collation breaks when the operating system changes it.
 * An event due has `due_at`; a queue knows of it where it is `queued`. `oldest_program` is the oldest version whose
 * programs may still work on the tables, so that a rolling deploy can migrate first.
 */
export const firstTables = (schema: string) => `
CREATE SCHEMA IF NOT EXISTS ${schema};

CREATE TABLE IF NOT EXISTS ${schema}.migrations (
  version        integer PRIMARY KEY,
  oldest_program integer NOT NULL,
  applied_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS ${schema}.events (
  key          text COLLATE "C" PRIMARY KEY,
  seq          bigint GENERATED ALWAYS AS IDENTITY,
  endpoint     text NOT NULL,
  id           text NOT NULL,
  type         text NOT NULL,
  created_at   text NOT NULL,
  content_hash text NOT NULL,
  body         bytea NOT NULL,
  state        text COLLATE "C" NOT NULL CHECK (state IN ('accepted', 'failed', 'done', 'dead')),
  attempt      integer NOT NULL,
  failures     integer NOT NULL DEFAULT 0,
  generation   integer NOT NULL DEFAULT 0,
  queued       boolean NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  due_at       timestamptz,
  done_at      timestamptz,
  keep_until   timestamptz,
  last_error   text
);
CREATE INDEX IF NOT EXISTS events_by_state ON ${schema}.events (state, received_at, seq);
CREATE INDEX IF NOT EXISTS events_due ON ${schema}.events (endpoint, due_at, seq)
  WHERE state IN ('accepted', 'failed');

CREATE TABLE IF NOT EXISTS ${schema}.replays (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key        text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  reason     text NOT NULL,
  actor      text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS replays_by_key ON ${schema}.replays (key, generation);

CREATE TABLE IF NOT EXISTS ${schema}.quarantine (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint     text NOT NULL,
  content_hash text NOT NULL,
  code         text NOT NULL,
  event_id     text,
  body         bytea NOT NULL,
  deliveries   integer NOT NULL DEFAULT 1,
  received_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (endpoint, content_hash)
);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (1, 1) ON CONFLICT DO NOTHING;
`

/** A resource may be longer than an index entry, so its hash is indexed. */
export const resourceColumn = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS resource text COLLATE "C";
CREATE INDEX IF NOT EXISTS events_by_resource ON ${schema}.events (hashtextextended(resource, 0), seq)
  WHERE resource IS NOT NULL AND state IN ('accepted', 'failed');

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (2, 1) ON CONFLICT DO NOTHING;
`

/**
 * `scheduled_at` is when the `due_at` of a failed event was set. A time in the future means that the clock was ahead then,
 * and `due_at` is not to be trusted. `discards` keeps who deleted a quarantined delivery or a dead event, and why; its
 * `code` is the code or the last error.
 */
export const discardsTable = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS scheduled_at timestamptz;
CREATE INDEX IF NOT EXISTS events_accepted ON ${schema}.events (endpoint, due_at, seq) WHERE state = 'accepted';
CREATE INDEX IF NOT EXISTS events_failed ON ${schema}.events (endpoint, due_at, seq) WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS events_scheduled ON ${schema}.events (scheduled_at) WHERE state = 'failed';
DROP INDEX IF EXISTS ${schema}.events_due;

CREATE INDEX IF NOT EXISTS quarantine_by_time ON ${schema}.quarantine (received_at);

CREATE TABLE IF NOT EXISTS ${schema}.discards (
  seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key          text NOT NULL,
  event_id     text,
  code         text,
  content_hash text NOT NULL,
  reason       text NOT NULL,
  actor        text NOT NULL,
  at           timestamptz NOT NULL DEFAULT now()
);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (3, 1) ON CONFLICT DO NOTHING;
`
