/**
 * Version 19. When the delivery of an event that was released from quarantine was received. NULL for all others. A program of the
 * previous version releases events without it.
 */
export const sqliteDelivered = 'ALTER TABLE webhook_inbox_events ADD COLUMN delivered_at INTEGER;'
