/**
 * Version 14. A plan is written in several transactions, and deleted in several. It is ready between the two. Until then only a
 * program of the previous version finds it.
 */
export const sqliteReadyPlans = `
  ALTER TABLE webhook_inbox_plans ADD COLUMN is_ready INTEGER NOT NULL DEFAULT 1;
  `
