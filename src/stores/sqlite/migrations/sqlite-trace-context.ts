/** What telemetry keeps beside an event, so that its run can link to its delivery. */
export const sqliteTraceContext = 'ALTER TABLE webhook_inbox_events ADD COLUMN trace_context TEXT;'
