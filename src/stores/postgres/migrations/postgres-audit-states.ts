/**
 * Version 18. The state of an event before an operator changed it, for what became of the run that changed it before. NULL for other
 * entries, and for those of a program of the previous version.
 */
export const auditStates = (schema: string) => `
ALTER TABLE ${schema}.audits ADD COLUMN IF NOT EXISTS was text;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (18, 1) ON CONFLICT DO NOTHING;
`
