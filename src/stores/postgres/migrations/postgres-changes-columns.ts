/**
 * Version 16. How many times an operator has changed a run, and how many times the state of a group has changed. A program of
 * the previous version does not count them.
 */
export const changesColumns = (schema: string) => `
ALTER TABLE ${schema}.runs ADD COLUMN IF NOT EXISTS changes integer NOT NULL DEFAULT 0;
ALTER TABLE ${schema}.failure_groups ADD COLUMN IF NOT EXISTS changes integer NOT NULL DEFAULT 0;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (16, 1) ON CONFLICT DO NOTHING;
`
