/** Version 15. Finds the audits of a cause, a type or a released delivery among those of large runs. */
export const auditSubjects = (schema: string) => `
CREATE INDEX IF NOT EXISTS audits_by_subject ON ${schema}.audits (subject, seq) WHERE subject IS NOT NULL;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (15, 1) ON CONFLICT DO NOTHING;
`
