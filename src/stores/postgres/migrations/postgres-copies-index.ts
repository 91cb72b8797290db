/**
 * Version 13. `root` is the id of the event that was edited first. That event and all copies of it have it, copies of copies too.
 * Copies of the previous version have none.
 */
export const copiesIndex = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS root text;
CREATE INDEX IF NOT EXISTS events_versions ON ${schema}.events (root COLLATE "C", state, received_at, seq)
  WHERE root IS NOT NULL;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (13, 1) ON CONFLICT DO NOTHING;
`
