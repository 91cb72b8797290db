/** Version 17. Finds the audits of a cause, a type or a released delivery among those of large runs. */
export const sqliteAuditSubjects =
  'CREATE INDEX webhook_inbox_audits_by_subject ON webhook_inbox_audits (subject, seq) WHERE subject IS NOT NULL;'
