/**
 * Version 7. `failure_group` is the group of the failure that made the event failed or dead. `events_list` replaces
 * `events_by_state` and begins with its columns. It contains the columns of most filters, so that rows that do not match are
 * not read. The `id` of a group is the endpoint, a colon, and the fingerprint of the cause. `types` is a JSON array of the
 * first types that failed with this cause.
 */
export const failureGroups = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS failure_group text COLLATE "C";
CREATE INDEX IF NOT EXISTS events_list
  ON ${schema}.events (state, received_at, seq, type COLLATE "C", endpoint COLLATE "C");
DROP INDEX IF EXISTS ${schema}.events_by_state;
CREATE INDEX IF NOT EXISTS events_by_group ON ${schema}.events (failure_group, state, received_at, seq)
  WHERE failure_group IS NOT NULL;
CREATE INDEX IF NOT EXISTS events_of_resource
  ON ${schema}.events (hashtextextended(resource, 0), state, received_at, seq) WHERE resource IS NOT NULL;
CREATE INDEX IF NOT EXISTS quarantine_by_code ON ${schema}.quarantine (endpoint, code, received_at);

CREATE TABLE IF NOT EXISTS ${schema}.failure_groups (
  id            text COLLATE "C" PRIMARY KEY,
  endpoint      text COLLATE "C" NOT NULL,
  code          text,
  title         text NOT NULL,
  place         text,
  types         text NOT NULL,
  state         text COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'acknowledged', 'resolved')),
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at  timestamptz NOT NULL DEFAULT now(),
  example       text NOT NULL
);
CREATE INDEX IF NOT EXISTS failure_groups_seen ON ${schema}.failure_groups (endpoint, last_seen_at);

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (7, 1) ON CONFLICT DO NOTHING;
`
