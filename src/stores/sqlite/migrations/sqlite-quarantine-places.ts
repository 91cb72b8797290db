/**
 * Version 20. SQLite gives a new row the number after the highest one, so a delivery could get the place of one that was deleted. The
 * trigger remembers the highest place, and also corrects what a program of the previous version inserts.
 */
export const sqliteQuarantinePlaces = `
  CREATE TABLE webhook_inbox_quarantine_place (highest INTEGER NOT NULL) STRICT;
  INSERT INTO webhook_inbox_quarantine_place SELECT coalesce(max(seq), 0) FROM webhook_inbox_quarantine;
  CREATE TRIGGER webhook_inbox_quarantine_placed AFTER INSERT ON webhook_inbox_quarantine
    BEGIN
      UPDATE webhook_inbox_quarantine_place SET highest = max(highest + 1, new.seq);
      UPDATE webhook_inbox_quarantine SET seq = (SELECT highest FROM webhook_inbox_quarantine_place) WHERE seq = new.seq;
    END;`
