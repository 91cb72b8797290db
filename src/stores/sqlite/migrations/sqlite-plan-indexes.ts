/**
 * Version 10. A plan of dead events, or of a group of failures, reads only an index. An event gets an index entry when it
 * fails or becomes dead, not when it is accepted. Each index replaces one without these columns.
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
