/** Version 13. Finds the edited copies of an event. Only copies have an entry. */
export const copiesIndex = (schema: string) => `
CREATE INDEX IF NOT EXISTS events_copies ON ${schema}.events (parent COLLATE "C", state, received_at, seq)
  WHERE parent IS NOT NULL;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (13, 1) ON CONFLICT DO NOTHING;
`
