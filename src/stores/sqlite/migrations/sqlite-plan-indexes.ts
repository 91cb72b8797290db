/**
 * Version 10. A plan reads its events from an index alone: those that are dead, or those of a group of failures. An event
 * gets an entry when it dies or fails, not when it is accepted. Each index takes the place of one without these columns.
 */
export const sqlitePlanIndexes = `
  DROP INDEX webhook_inbox_events_dead;
  CREATE INDEX webhook_inbox_events_dead
    ON webhook_inbox_events (endpoint, received_at, seq, type, key, generation) WHERE state = 'dead';
  DROP INDEX webhook_inbox_events_group;
  CREATE INDEX webhook_inbox_events_group
    ON webhook_inbox_events (failure_group, state, received_at, seq, endpoint, type, key, generation)
    WHERE failure_group IS NOT NULL;
  `
