import { stateSql } from '../../../store/applied-events.js'
import { acceptStatements } from './accept-statements.js'
import { claimStatements } from './claim-statements.js'
import { due, dueAmongOldest, dueByType } from './due.js'
import { eventColumns } from './event-columns.js'
import { failureStatements } from './failure-statements.js'
import { noteReplays, reopened } from './postgres-reopen-event.js'
import { firstOfResource } from './resource-lock.js'
import { stateByKey } from './state-by-key.js'

export type Statements = ReturnType<typeof statements>

/**
 * The statements of the store. Every value has a cast, for drivers that do not ask the server for its type. A time
 * is passed as text: a `Date` has no microseconds and no `-infinity`.
 */
export const statements = (schema: string) => {
  const events = `${schema}.events`
  return {
    schema,
    ...acceptStatements(schema),
    ...claimStatements(schema),
    ...failureStatements(schema),

    find: `SELECT state, content_hash FROM ${events} WHERE key = $1::text`,

    /**
     * `$1` the date, `$2` how many, `$3` and `$4` the place to continue after. A wrong date or a jump of the server’s clock
     * deletes nothing early. The retention of each event must have passed, both by this clock and by the arrival of the newest
     * event. Returns where it ended and how many rows it deleted, or no row.
     */
    prune: `
WITH gone AS (
  DELETE FROM ${events} WHERE key = ANY (ARRAY(
    SELECT key FROM ${events}
    WHERE state = 'done' AND received_at < $1::text::timestamptz AND done_at < $1::text::timestamptz
      AND keep_until < least(now(), (SELECT max(received_at) FROM ${events} WHERE state = 'done'))
      AND (received_at, seq) > ($3::text::timestamptz, $4::bigint)
    ORDER BY received_at, seq LIMIT $2::int
    FOR UPDATE SKIP LOCKED
  )) RETURNING received_at, seq
)
SELECT received_at::text AS received_at, seq::text AS seq, (count(*) OVER ())::int AS count,
  set_config('synchronous_commit', 'off', true)
FROM gone ORDER BY gone.received_at DESC, gone.seq DESC LIMIT 1`,

    /**
     * `$1` key, `$2` endpoint or null. The place where the next page begins. It is text, because drivers can lose
     * microseconds.
     */
    place: `SELECT received_at::text AS received_at, seq::text AS seq FROM ${events}
WHERE key = $1::text AND ($2::text IS NULL OR endpoint = $2::text)`,

    due: (limit: number, what: Parameters<typeof due>[2]) => due(schema, limit, what),
    dueByType: (bodies: boolean) => dueByType(schema, { isNamed: false, bodies }),
    dueOfTypes: (bodies: boolean) => dueByType(schema, { isNamed: true, bodies }),
    dueAmongOldest: (bodies: boolean) => dueAmongOldest(schema, bodies),

    nextForResource: `
SELECT ${eventColumns} FROM ${events} WHERE key = (
  SELECT ${firstOfResource(schema)} FROM ${events} AS e WHERE e.key = $1::text)`,

    /** `$2` reason, `$3` actor, `$4` and `$5` the state and the generation that the caller saw, or null. */
    requeue: `
WITH before AS (
  SELECT key AS of_key, ${stateSql('e')} AS was FROM ${events} AS e
  WHERE key = $1::text AND ($4::text IS NULL OR ${stateByKey} = $4::text) AND ($5::bigint IS NULL OR generation = $5::bigint)
  FOR NO KEY UPDATE
), reopened AS (
  UPDATE ${events} SET ${reopened} FROM before WHERE key = of_key RETURNING key, generation, endpoint, id, was
), noted AS (${noteReplays(schema)}
), logged AS (
  INSERT INTO ${schema}.audits (action, endpoint, key, event_id, was, reason, actor)
  SELECT 'replay', endpoint, key, id, was, $2::text, $3::text FROM reopened
)
SELECT generation FROM reopened`,
  }
}
