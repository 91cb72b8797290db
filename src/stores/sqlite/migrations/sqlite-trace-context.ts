/** The trace context of an event, so that the span of its run can link to its delivery. */
export const sqliteTraceContext = 'ALTER TABLE webhook_inbox_events ADD COLUMN trace_context TEXT;'
