/**
 * A plan reads its events from an index alone: `events_dead` those that are dead, `events_of_group` those of a group of
 * failures, whose index it replaces. An event gets an entry when it dies or fails, not when it is accepted.
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
