/**
 * The key of the first event, neither done nor dead, of the resource of an event `e`. As a value of its own, which the
 * planner looks up in the index for each event: of a condition it may make a join of all with all.
 */
export const firstOfResource = (schema: string) => `(
    SELECT f.key FROM ${schema}.events AS f
    WHERE hashtextextended(f.resource, 0) = hashtextextended(e.resource, 0) AND f.resource = e.resource
      AND f.endpoint = e.endpoint AND f.state IN ('accepted', 'failed')
    ORDER BY f.seq LIMIT 1)`

/** Whether an event `e` waits for no earlier one of its resource. */
export const isInTurn = (schema: string) => `(e.resource IS NULL OR e.key = ${firstOfResource(schema)})`

/**
 * The same for the transaction that is to run it, which takes a lock of the resource with it until it ends. Without the
 * lock two could run at once: an event that commits late may have a number before one that is under way already, and one
 * that is replayed has. Nobody waits for it: the other may be a handler.
 */
export const takesItsTurn = (
  schema: string,
) => `(e.resource IS NULL OR CASE WHEN e.key = ${firstOfResource(schema)}
    THEN pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', '${schema}', e.endpoint, e.resource), 0))
    ELSE false END)`
