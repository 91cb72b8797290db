/**
 * Version 17. When the delivery of an event that was released from quarantine was received. NULL for all others. A program of the
 * previous version releases events without it.
 */
export const deliveredColumn = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS delivered_at timestamptz;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (17, 1) ON CONFLICT DO NOTHING;
`
