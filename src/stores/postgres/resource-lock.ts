/**
 * The key of the first event, neither done nor dead, of the resource of an event `e`. As a scalar subquery, which
 * the planner looks up in the index for each event. As a join condition it may become a join of all with all.
 */
export const firstOfResource = (schema: string) => `(
    SELECT f.key FROM ${schema}.events AS f
    WHERE hashtextextended(f.resource, 0) = hashtextextended(e.resource, 0) AND f.resource = e.resource
      AND f.endpoint = e.endpoint AND f.state IN ('accepted', 'failed')
    ORDER BY f.seq LIMIT 1)`

/** Whether an event `e` waits for no earlier one of its resource. */
export const isInTurn = (schema: string) => `(e.resource IS NULL OR e.key = ${firstOfResource(schema)})`

/**
 * The same for the transaction that runs the event, which also takes a lock of the resource until it ends. Without
 * the lock two events could run concurrently, because one that commits late, or is replayed, may have a smaller
 * number than one that runs already. It does not wait for the lock, which a handler may hold. Its key is a JSON array,
 * so that no two pairs of endpoint and resource share it.
 */
export const takesItsTurn = (
  schema: string,
) => `(e.resource IS NULL OR CASE WHEN e.key = ${firstOfResource(schema)}
    THEN pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('${schema}', e.endpoint, e.resource)::text, 0))
    ELSE false END)`
