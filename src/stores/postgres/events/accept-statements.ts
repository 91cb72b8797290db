import { columns, content, values } from './event-values.js'
import { stateByKey } from './state-by-key.js'

/**
 * Sets a lock_timeout, once before the first row, for a statement that is its own transaction. Do not combine it with another
 * condition that needs no row: Postgres 16 and later evaluate the cheaper one first, and might skip this one.
 */
const withLockTimeout = (value: string) => `(SELECT set_config('lock_timeout', ${value}::text, true)) <> ''`

/** Statements that keep an event for later. `schema` is that of the table of events. */
export const acceptStatements = (schema: string) => {
  const events = `${schema}.events`
  return {
    /**
     * An array for each column: `$1` to `$6` and `$8`. `$7` all bodies in one, `$10` where in it each begins, `$11` how
     * long it is, `$12` the trace contexts. `$9` the lock_timeout. Numbered in the order given. Returns the keys of the unseen events.
     * ON CONFLICT alone would wait for a handler that has one of the rows in its transaction.
     */
    acceptMany: `
INSERT INTO ${events} (${columns}, resource, trace_context, state, attempt, queued, due_at)
SELECT n.key, n.endpoint, n.id, n.type, n.created_at, n.content_hash, substring($7::bytea FROM n.at FOR n.size),
  n.resource, n.trace_context, 'accepted', 0, true, now()
FROM (SELECT unnest($1::text[]) AS key, unnest($2::text[]) AS endpoint, unnest($3::text[]) AS id,
  unnest($4::text[]) AS type, unnest($5::text[]) AS created_at, unnest($6::text[]) AS content_hash,
  unnest($8::text[]) AS resource, unnest($10::int[]) AS at, unnest($11::int[]) AS size,
  unnest($12::text[]) AS trace_context) AS n
WHERE ${withLockTimeout('$9')} AND NOT EXISTS (SELECT FROM ${events} AS e WHERE e.key = n.key)
ORDER BY n.at
ON CONFLICT (key) DO NOTHING
RETURNING key`,

    /**
     * `$8` the resource or null, `$9` the trace context or null. Returns nothing for an event that is known. ON CONFLICT alone
     * would wait for a handler that holds the row, only to find that the event exists.
     */
    acceptUnseen: `
INSERT INTO ${events} (${columns}, state, attempt, queued, due_at, resource, trace_context)
SELECT ${values}, 'accepted', 0, true, now(), $8::text, $9::text WHERE NOT EXISTS (SELECT FROM ${events} WHERE key = $1::text)
ON CONFLICT (key) DO NOTHING
RETURNING true AS is_new`,

    /**
     * `$1` key, `$2` to `$5` type, time, hash and body, `$6` the resource or null, `$7` the trace context or null. An event that failed in a request,
     * before there was a queue, has no job yet. One that has is not locked: a duplicate must not wait for the handler
     * that runs it.
     */
    acceptKnown: `
WITH accepted AS (
  UPDATE ${events} SET state = 'accepted', attempt = 0, failures = 0, queued = true, due_at = now(), last_error = NULL,
    failure_group = NULL,
    resource = $6::text, trace_context = $7::text, ${content('$2::text', '$3::text', '$4::text', '$5::bytea')}
  WHERE key = $1::text AND ${stateByKey} = 'failed' AND NOT queued
  RETURNING true AS is_new
)
SELECT is_new, NULL AS content_hash FROM accepted
UNION ALL
SELECT false, content_hash FROM ${events} WHERE key = $1::text AND NOT EXISTS (SELECT FROM accepted)`,
  }
}
