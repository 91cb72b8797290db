/**
 * Version 18. How many times an operator has changed a run, and how many times the state of a group has changed. A program of
 * the previous version does not count them.
 */
export const sqliteChanges = `
  ALTER TABLE webhook_inbox_runs ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE webhook_inbox_failure_groups ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
  `
