/**
 * Version 21. The state of an event before an operator changed it, for what became of the run that changed it before. NULL for other
 * entries, and for those of a program of the previous version.
 */
export const sqliteAuditStates = 'ALTER TABLE webhook_inbox_audits ADD COLUMN was TEXT;'
