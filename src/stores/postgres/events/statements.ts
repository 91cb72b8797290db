import { stateSql } from '../../../store/applied-events.js'
import { due, dueAmongOldest, dueByType } from './due.js'
import { columnsBesideClaim, eventColumns } from './event-columns.js'
import { columns, content, values } from './event-values.js'
import { failedColumns } from './note-group.js'
import { failureOf, withFailure } from './postgres-attempts.js'
import { noteReplays, reopened } from './postgres-reopen-event.js'
import { firstOfResource, takesItsTurn } from './resource-lock.js'

export type Statements = ReturnType<typeof statements>

/**
 * Sets a lock_timeout, once before the first row, for a statement that is its own transaction. Do not combine it with another
 * condition that needs no row: Postgres 16 and later evaluate the cheaper one first, and might skip this one.
 */
const withLockTimeout = (value: string) => `(SELECT set_config('lock_timeout', ${value}::text, true)) <> ''`

const claimed = (
  retentionSeconds: string,
) => `state = 'done', attempt = attempt + 1, due_at = NULL, last_error = NULL,
  failure_group = NULL, done_at = now(), keep_until = now() + make_interval(secs => ${retentionSeconds}::float8)`

/**
 * Sets the lock_timeout and the statement_timeout of a handler, in milliseconds. A server that runs a statement does not notice that
 * its client has gone, and would keep the claim until the statement ends. A shorter limit of the user stays.
 */
const limitsOfHandler = (milliseconds: string) => `set_config('lock_timeout', ${milliseconds}::text, true),
  set_config('statement_timeout', CASE WHEN current_setting('statement_timeout')::interval
    BETWEEN interval '1 ms' AND ${milliseconds}::text::float8 * interval '1 ms'
    THEN current_setting('statement_timeout') ELSE ${milliseconds}::text END, true)`

const claimColumns = (limit: string) =>
  `attempt::text, done_at::text, generation::text, ${limitsOfHandler(limit)}`

/** Whether the event has failed no more often than a worker saw, and was not replayed since. */
const isAt = (generation: string, failures: string) =>
  `(${generation}::bigint IS NULL OR (generation = ${generation}::bigint AND failures = ${failures}::int))`

/**
 * `$1` key, `$2` hash, `$3` retention in seconds, `$4` the time limit of the handler in milliseconds, `$5` to `$7` the attempt, generation
 * and failures that the worker saw, or null. Claims an event that the inbox keeps with this content. Returns nothing if it has
 * changed, or cannot be claimed now.
 */
const claimOfKept = (events: string, condition: string) => `
UPDATE ${events} AS e SET ${claimed('$3')}
WHERE key = $1::text AND state IN ('accepted', 'failed') AND content_hash = $2::text
  AND ($5::int IS NULL OR attempt = $5::int) AND ${isAt('$6', '$7')} AND ${condition}
RETURNING ${claimColumns('$4')}`

/**
 * `$1` key, `$2` retention in seconds, `$3` the time limit of the handler in milliseconds. Claims an accepted event, and returns it too. Returns
 * nothing if it cannot be claimed now.
 */
const takeOfAccepted = (events: string, condition: string) => `
UPDATE ${events} AS e SET ${claimed('$2')}
WHERE key = $1::text AND state = 'accepted' AND ${condition}
RETURNING ${claimColumns('$3')},
  ${columnsBesideClaim.map(([name, text]) => `${text} AS ${name}`).join(', ')}`

/** The parts of a failure in the values of each statement that notes one. */
export const ofClaim = { error: '$9::text', group: "$2::text || ':' || $10::text" }
const postponed = {
  error: '$2::text',
  group: "endpoint || ':' || $4::text",
  retryAt: '(now() + make_interval(secs => $3::float8))',
}
const claimFailed = { error: '$2::text', group: "endpoint || ':' || $4::text", more: '$5::text' }
const claimLost = { ...ofClaim, more: '$15::text' }
/** A claim that its work has committed has counted itself. */
const attemptOfClaim = "(e.attempt + CASE e.state WHEN 'done' THEN 0 ELSE 1 END)"
const died = { error: '$2::text', group: "endpoint || ':' || $3::text" }

/**
 * The statements of the store. Every value has a cast, for drivers that do not ask the server for its type. A time
 * is passed as text: a `Date` has no microseconds and no `-infinity`.
 */
export const statements = (schema: string) => {
  const events = `${schema}.events`
  return {
    schema,

    /**
     * `$8` retention in seconds, `$9` the time limit of the handler in milliseconds. Claims the event and marks it done in one
     * statement: no other transaction sees the mark before the handler’s own writes commit with it. A concurrent
     * delivery waits here until this transaction ends. Returns nothing for a known event.
     */
    claimUnseen: `
INSERT INTO ${events} (${columns}, state, attempt, queued, done_at, keep_until)
VALUES (${values}, 'done', 1, false, now(), now() + make_interval(secs => $8::float8))
ON CONFLICT (key) DO NOTHING
RETURNING ${claimColumns('$9')}`,

    /**
     * `$1` key, `$2` to `$5` type, time, hash and body, `$6` retention in seconds, `$7` the time limit of the
     * handler in milliseconds. Locks neither done events, so that duplicates only read, nor events that wait for another one of
     * their resource.
     */
    claimKnown: `
WITH claimed AS (
  UPDATE ${events} AS e SET state = 'done', attempt = attempt + 1, due_at = NULL, last_error = NULL, failure_group = NULL, done_at = now(),
    keep_until = now() + make_interval(secs => $6::float8), ${content('$2::text', '$3::text', '$4::text', '$5::bytea')}
  WHERE key = $1::text AND state IN ('accepted', 'failed') AND (NOT queued OR content_hash = $4::text)
    AND ${takesItsTurn(schema)}
  RETURNING attempt, done_at, generation
)
SELECT 'claimed' AS state, attempt, done_at::text AS claimed_at, generation::text AS generation, NULL AS content_hash,
  ${limitsOfHandler('$7')} FROM claimed
UNION ALL
SELECT state, NULL, NULL, NULL, content_hash, NULL, NULL FROM ${events} WHERE key = $1::text AND NOT EXISTS (SELECT FROM claimed)`,

    claimKept: claimOfKept(events, takesItsTurn(schema)),
    /** Claims an event without a resource. The check of the order would double the time to plan the statement. */
    claimAlone: claimOfKept(events, 'e.resource IS NULL'),
    takeKept: takeOfAccepted(events, takesItsTurn(schema)),
    takeAlone: takeOfAccepted(events, 'e.resource IS NULL'),

    find: `SELECT state, content_hash FROM ${events} WHERE key = $1::text`,

    /**
     * After work that took long: the claim has set the time when the transaction began. If the work has ended the transaction, this
     * time is another one, and nothing changes.
     */
    doneNow: `UPDATE ${events} SET done_at = clock_timestamp() WHERE key = $1::text AND state = 'done' AND done_at = now()`,

    /**
     * `$2` the error, `$3` seconds until it is due, `$4` the fingerprint, `$5` more of the failure, as JSON. For the transaction
     * that has claimed the event. It may have begun long ago.
     */
    failClaimed: `
UPDATE ${events} SET state = 'failed', due_at = clock_timestamp() + make_interval(secs => $3::float8),
  scheduled_at = now(), done_at = NULL, keep_until = NULL, last_error = $2::text,
  failure_group = endpoint || ':' || $4::text, attempts = ${withFailure(claimFailed, { isOfQueue: false })}
WHERE key = $1::text RETURNING ${failedColumns()}`,

    /**
     * `$8` seconds until it is due, `$9` the error, `$10` the fingerprint, `$11` when the claim began, if its work may have
     * committed it: then the event is not done any more. `$12` the same, if the connection was lost: changes nothing if the server
     * has started since. `$13` the attempt and `$14` the generation of the claim: changes nothing if it is noted already, or if another one
     * followed. `$15` more of the failure, as JSON.
     */
    noteFailure: `
INSERT INTO ${events} AS e (${columns}, state, attempt, queued, due_at, scheduled_at, last_error, failure_group, attempts)
SELECT ${values}, 'failed', 1, false, now() + make_interval(secs => $8::float8), now(), $9::text, $2::text || ':' || $10::text,
  jsonb_build_array(${failureOf({ generation: '0', attempt: '1', ...claimLost })})
WHERE $12::text IS NULL OR pg_postmaster_start_time() <= $12::text::timestamptz
ON CONFLICT (key) DO UPDATE SET state = 'failed', attempt = ${attemptOfClaim}, due_at = excluded.due_at,
  scheduled_at = now(), last_error = excluded.last_error, failure_group = excluded.failure_group,
  done_at = NULL, keep_until = NULL,
  attempts = ${withFailure({ of: 'e.', attempt: attemptOfClaim, ...claimLost }, { isOfQueue: false })},
  ${content('excluded.type', 'excluded.created_at', 'excluded.content_hash', 'excluded.body', 'e.')}
WHERE ((e.state IN ('accepted', 'failed') AND e.attempt = $13::int - 1 AND e.generation = $14::bigint) OR (e.state = 'done' AND e.done_at = $11::text::timestamptz))
  AND (NOT e.queued OR e.content_hash = excluded.content_hash)
RETURNING ${failedColumns('e.')}`,

    /** `$2` the attempt of a claim, `$3` its generation. */
    isNoted: `
SELECT true FROM ${events}
WHERE key = $1::text AND state = 'failed' AND attempt = $2::int AND generation = $3::bigint`,

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
  WHERE key = $1::text AND state = 'failed' AND NOT queued
  RETURNING true AS is_new
)
SELECT is_new, NULL AS content_hash FROM accepted
UNION ALL
SELECT false, content_hash FROM ${events} WHERE key = $1::text AND NOT EXISTS (SELECT FROM accepted)`,

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
  SELECT ${firstOfResource(schema)} FROM ${events} AS e WHERE e.key = $1::text AND e.resource IS NOT NULL)`,

    /** `$2` the error, `$3` seconds until it is due, `$4` the fingerprint, `$5` the generation and `$6` the failures, or null. */
    postpone: `
UPDATE ${events} SET state = 'failed', failures = failures + 1, last_error = $2::text,
  failure_group = endpoint || ':' || $4::text,
  attempts = ${withFailure(postponed, { isOfQueue: true })},
  due_at = now() + make_interval(secs => $3::float8), scheduled_at = now()
WHERE key = $1::text AND state IN ('accepted', 'failed') AND ${isAt('$5', '$6')} RETURNING ${failedColumns()}`,

    /** `$2` the error, `$3` the fingerprint, `$4` the generation and `$5` the failures, or null. */
    markDead: `
UPDATE ${events} SET state = 'dead', failures = failures + 1, due_at = NULL, last_error = $2::text,
  failure_group = endpoint || ':' || $3::text,
  attempts = ${withFailure(died, { isOfQueue: true })}
WHERE key = $1::text AND state IN ('accepted', 'failed') AND ${isAt('$4', '$5')} RETURNING ${failedColumns()}`,

    /** `$2` reason, `$3` actor, `$4` and `$5` the state and the generation that the caller saw, or null. */
    requeue: `
WITH before AS (
  SELECT key AS of_key, ${stateSql('e')} AS was FROM ${events} AS e
  WHERE key = $1::text AND ($4::text IS NULL OR state = $4::text) AND ($5::bigint IS NULL OR generation = $5::bigint)
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
