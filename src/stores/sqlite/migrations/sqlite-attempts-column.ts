/** Version 13. `attempts` is a JSON array of the newest attempts that failed. It is null until one does. */
export const sqliteAttempts = `
  ALTER TABLE webhook_inbox_events ADD COLUMN attempts TEXT;
  `
