/** Version 14. How many events of a run an undo has restored. A program of the previous version does not count them. */
export const restoredColumn = (schema: string) => `
ALTER TABLE ${schema}.runs ADD COLUMN IF NOT EXISTS restored integer NOT NULL DEFAULT 0;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (14, 1) ON CONFLICT DO NOTHING;
`
