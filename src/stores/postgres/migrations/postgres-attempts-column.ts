/** Version 12. `attempts` is an array of the newest attempts that failed. It is null until one does. */
export const attemptsColumn = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS attempts jsonb;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (12, 1) ON CONFLICT DO NOTHING;
`
