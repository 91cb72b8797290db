/**
 * Version 12. When a circuit last counted a failure, so that old circuits can be pruned. It is 0 if a program of the previous
 * version has counted.
 */
export const sqliteCircuitTimes = `
  ALTER TABLE webhook_inbox_circuits ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;
  `
