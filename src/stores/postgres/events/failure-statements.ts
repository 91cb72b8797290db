import { columns, content, values } from './event-values.js'
import { failedColumns } from './note-group.js'
import { failureOf, withFailure } from './postgres-attempts.js'
import { stateByKey } from './state-by-key.js'
import { isAt } from './unchanged.js'

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

/** Statements that note a failure. `schema` is that of the table of events. */
export const failureStatements = (schema: string) => {
  const events = `${schema}.events`
  return {
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
WHERE key = $1::text AND ${stateByKey} = 'failed' AND attempt = $2::int AND generation = $3::bigint`,

    /** `$2` the error, `$3` seconds until it is due, `$4` the fingerprint, `$5` the generation and `$6` the failures, or null. */
    postpone: `
UPDATE ${events} SET state = 'failed', failures = failures + 1, last_error = $2::text,
  failure_group = endpoint || ':' || $4::text,
  attempts = ${withFailure(postponed, { isOfQueue: true })},
  due_at = now() + make_interval(secs => $3::float8), scheduled_at = now()
WHERE key = $1::text AND ${stateByKey} IN ('accepted', 'failed') AND ${isAt('$5', '$6')} RETURNING ${failedColumns()}`,

    /** `$2` the error, `$3` the fingerprint, `$4` the generation and `$5` the failures, or null. */
    markDead: `
UPDATE ${events} SET state = 'dead', failures = failures + 1, due_at = NULL, last_error = $2::text,
  failure_group = endpoint || ':' || $3::text,
  attempts = ${withFailure(died, { isOfQueue: true })}
WHERE key = $1::text AND ${stateByKey} IN ('accepted', 'failed') AND ${isAt('$4', '$5')} RETURNING ${failedColumns()}`,
  }
}
