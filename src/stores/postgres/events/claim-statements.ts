import { columnsBesideClaim } from './event-columns.js'
import { columns, content, values } from './event-values.js'
import { takesItsTurn } from './resource-lock.js'
import { stateByKey } from './state-by-key.js'
import { isAt } from './unchanged.js'

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

/**
 * `$1` key, `$2` hash, `$3` retention in seconds, `$4` the time limit of the handler in milliseconds, `$5` to `$7` the attempt, generation
 * and failures that the worker saw, or null. Claims an event that the inbox keeps with this content. Returns nothing if it has
 * changed, or cannot be claimed now.
 */
const claimOfKept = (events: string, condition: string) => `
UPDATE ${events} AS e SET ${claimed('$3')}
WHERE key = $1::text AND ${stateByKey} IN ('accepted', 'failed') AND content_hash = $2::text
  AND ($5::int IS NULL OR attempt = $5::int) AND ${isAt('$6', '$7')} AND ${condition}
RETURNING ${claimColumns('$4')}`

/**
 * `$1` key, `$2` retention in seconds, `$3` the time limit of the handler in milliseconds. Claims an accepted event, and returns it too. Returns
 * nothing if it cannot be claimed now.
 */
const takeOfAccepted = (events: string, condition: string) => `
UPDATE ${events} AS e SET ${claimed('$2')}
WHERE key = $1::text AND ${stateByKey} = 'accepted' AND ${condition}
RETURNING ${claimColumns('$3')},
  ${columnsBesideClaim.map(([name, text]) => `${text} AS ${name}`).join(', ')}`

/** Statements that claim an event, for the transaction in which its handler runs. `schema` is that of the table of events. */
export const claimStatements = (schema: string) => {
  const events = `${schema}.events`
  return {
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
  WHERE key = $1::text AND ${stateByKey} IN ('accepted', 'failed') AND (NOT queued OR content_hash = $4::text)
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

    /**
     * After work that took long: the claim has set the time when the transaction began. If the work has ended the transaction, this
     * time is another one, and nothing changes.
     */
    doneNow: `UPDATE ${events} SET done_at = clock_timestamp() WHERE key = $1::text AND ${stateByKey} = 'done' AND done_at = now()`,
  }
}
