/** Version 16. How many events of a run an undo has restored. A program of the previous version does not count them. */
export const sqliteRestored = 'ALTER TABLE webhook_inbox_runs ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;'
