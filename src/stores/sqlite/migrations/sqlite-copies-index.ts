/** Version 15. Finds the edited copies of an event. Only copies have an entry. */
export const sqliteCopiesIndex = `
  CREATE INDEX webhook_inbox_events_copies ON webhook_inbox_events (parent, state, received_at, seq)
    WHERE parent IS NOT NULL;
  `
