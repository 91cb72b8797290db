/**
 * A plan reads only an index: `events_dead` for dead events, `events_of_group` for a group of failures, which replaces the
 * earlier index of groups. An event gets an index entry when it fails or becomes dead, not when it is accepted.
 */
export const planIndexes = (schema: string) => `
CREATE INDEX IF NOT EXISTS events_dead
  ON ${schema}.events (endpoint COLLATE "C", received_at, seq, type COLLATE "C") INCLUDE (key, generation)
  WHERE state = 'dead';
CREATE INDEX IF NOT EXISTS events_of_group
  ON ${schema}.events (failure_group, state, received_at, seq, endpoint COLLATE "C", type COLLATE "C")
  INCLUDE (key, generation) WHERE failure_group IS NOT NULL;
DROP INDEX IF EXISTS ${schema}.events_by_group;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (9, 1) ON CONFLICT DO NOTHING;
`
