/** The trace context of an event, so that the span of its run can link to its delivery. */
export const traceContextColumn = (schema: string) => `
ALTER TABLE ${schema}.events ADD COLUMN IF NOT EXISTS trace_context text;

INSERT INTO ${schema}.migrations (version, oldest_program) VALUES (5, 1) ON CONFLICT DO NOTHING;
`
