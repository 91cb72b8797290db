/** The number of the first unfinished event (not done, not dead) of the resource of an event `e`. */
export const firstOfResource = `(
    SELECT f.seq FROM webhook_inbox_events AS f
    WHERE f.endpoint = e.endpoint AND f.resource = e.resource AND f.resource IS NOT NULL
      AND f.state IN ('accepted', 'failed')
    ORDER BY f.seq LIMIT 1)`

/** Whether an event `e` waits for no earlier one of its resource. */
export const isInTurn = `(e.resource IS NULL OR e.seq = ${firstOfResource})`

/**
 * Finds an event that waits for another one of its resource. That may be a later one, which runs while an event is
 * replayed. `?` key, then the time.
 */
export const mayNotRun = `
  SELECT 1 FROM webhook_inbox_events AS e WHERE key = ? AND (e.seq <> ${firstOfResource} OR EXISTS (
    SELECT 1 FROM webhook_inbox_events AS o
    WHERE o.endpoint = e.endpoint AND o.resource = e.resource AND o.resource IS NOT NULL AND o.seq <> e.seq
      AND o.lease_until > 0 AND o.lease_until > ?))`

/** Whether an event that is accepted now waits for an earlier one. `?` endpoint, `?` resource. */
export const isBehindAnother = `
  EXISTS (SELECT 1 FROM webhook_inbox_events
    WHERE endpoint = ? AND resource = ? AND resource IS NOT NULL AND state IN ('accepted', 'failed'))`
