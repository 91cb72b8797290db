/**
 * The key of the first unfinished event (not done, not dead) of the resource of an event `e`. It is a scalar subquery, so the
 * planner uses the index for each event. A join condition could become a join of all rows with all rows.
 */
export const firstOfResource = (schema: string) => `(
    SELECT f.key FROM ${schema}.events AS f
    WHERE hashtextextended(f.resource, 0) = hashtextextended(e.resource, 0) AND f.resource = e.resource
      AND f.endpoint = e.endpoint AND f.state IN ('accepted', 'failed')
    ORDER BY f.seq LIMIT 1)`

/** Whether an event `e` waits for no earlier one of its resource. */
export const isInTurn = (schema: string) => `(e.resource IS NULL OR e.key = ${firstOfResource(schema)})`

/**
 * The same for the transaction that runs the event. It also locks the resource until its end. Without the lock two events
 * could run concurrently: an event that commits late, or is replayed, can have a smaller number than the running event. It
 * does not wait for the lock, because a handler may hold it. Its key is a JSON array, so that no two pairs of endpoint and
 * resource share it.
 */
export const takesItsTurn = (
  schema: string,
) => `(e.resource IS NULL OR CASE WHEN e.key = ${firstOfResource(schema)}
    THEN pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('${schema}', e.endpoint, e.resource)::text, 0))
    ELSE false END)`
