/**
 * Plans, their runs, and discarded events and deliveries that `undo` can still restore. `plan_pages` holds the events of a
 * plan in arrays, because a hundred thousand rows take too long to write; `first` is the place of the first one in its plan.
 *
 * A discarded event stays in its table until the time for `undo` ends, with the state `discarded` and another key, so that no
 * program finds it. So `undo` restores all of it. `NOT VALID` spares the check of every row: the new condition allows more
 * than the old one.
 *
 * `run_items` contains the events that a run skipped, and the events of its canary with their previous failure.
 */
export const bulkTables = (schema: string) => `
CREATE TABLE IF NOT EXISTS ${schema}.plans (
  id         text COLLATE "C" PRIMARY KEY,
  endpoint   text,
  action     text NOT NULL,
  conditions text NOT NULL,
  count      integer NOT NULL,
  is_capped  boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS plans_created ON ${schema}.plans (created_at);

CREATE TABLE IF NOT EXISTS ${schema}.plan_pages (
  plan        text COLLATE "C" NOT NULL,
  first       integer NOT NULL,
  keys        text[] NOT NULL,
  generations integer[] NOT NULL,
  PRIMARY KEY (plan, first)
);
-- Keys are hashes, which do not compress.
ALTER TABLE ${schema}.plan_pages ALTER COLUMN keys SET STORAGE EXTERNAL;

CREATE TABLE IF NOT EXISTS ${schema}.runs (
  id             text COLLATE "C" PRIMARY KEY,
  seq            bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  plan           text COLLATE "C" NOT NULL,
  reason         text NOT NULL,
  actor          text NOT NULL,
  per_second     float8 NOT NULL,
  canary         integer NOT NULL,
  is_past_canary boolean NOT NULL,
  state          text NOT NULL,
  place          integer NOT NULL DEFAULT 0,
  applied        integer NOT NULL DEFAULT 0,
  failed         integer NOT NULL DEFAULT 0,
  note           text,
  token          text,
  lease_until    timestamptz NOT NULL DEFAULT '-infinity',
  created_at     timestamptz NOT NULL DEFAULT now(),
  ended_at       timestamptz
);
CREATE INDEX IF NOT EXISTS runs_open ON ${schema}.runs (seq) WHERE state IN ('running', 'canary');

CREATE TABLE IF NOT EXISTS ${schema}.run_items (
  run           text COLLATE "C" NOT NULL,
  place         integer NOT NULL,
  key           text COLLATE "C" NOT NULL,
  event_id      text,
  outcome       text NOT NULL,
  detail        text,
  failure_group text COLLATE "C",
  PRIMARY KEY (run, place)
);
CREATE INDEX IF NOT EXISTS run_items_outcome ON ${schema}.run_items (run, outcome);

CREATE TABLE IF NOT EXISTS ${schema}.discarded (
  key          text COLLATE "C" PRIMARY KEY,
  is_event     boolean NOT NULL,
  event_id     text,
  endpoint     text NOT NULL,
  run          text COLLATE "C",
  undo_until   timestamptz NOT NULL,
  content_hash text,
  code         text,
  deliveries   integer,
  received_at  timestamptz,
  body         bytea
);
CREATE INDEX IF NOT EXISTS discarded_until ON ${schema}.discarded (undo_until);
CREATE INDEX IF NOT EXISTS discarded_run ON ${schema}.discarded (run) WHERE run IS NOT NULL;

ALTER TABLE ${schema}.events DROP CONSTRAINT IF EXISTS events_state_check;
ALTER TABLE ${schema}.events ADD CONSTRAINT events_state_check
  CHECK (state IN ('accepted', 'failed', 'done', 'dead', 'discarded')) NOT VALID;
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS parent text;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (8, 1) ON CONFLICT DO NOTHING;
`
