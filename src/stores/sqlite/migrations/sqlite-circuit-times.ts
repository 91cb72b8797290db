/**
 * Version 12. When a circuit last counted a failure, so that those of types that never return can be pruned. It is 0 if a
 * program of the version before has counted.
 */
export const sqliteCircuitTimes = `
  ALTER TABLE webhook_inbox_circuits ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;
  `
