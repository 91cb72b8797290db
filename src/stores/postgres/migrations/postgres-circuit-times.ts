/** Version 11. When a circuit last counted a failure, so that old circuits can be pruned. */
export const circuitTimes = (schema: string) => `
ALTER TABLE ${schema}.circuits ADD COLUMN IF NOT EXISTS counted_at timestamptz NOT NULL DEFAULT now();

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (11, 1) ON CONFLICT DO NOTHING;
`
