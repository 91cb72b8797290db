/**
 * Version 15. `root` is the id of the event that was edited first. That event and all copies of it have it, copies of copies too.
 * Copies of the previous version have none.
 */
export const sqliteCopiesIndex = `
  ALTER TABLE webhook_inbox_events ADD COLUMN root TEXT;
  CREATE INDEX webhook_inbox_events_versions ON webhook_inbox_events (root, state, received_at, seq)
    WHERE root IS NOT NULL;
  `
