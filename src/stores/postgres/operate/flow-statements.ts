import { clockMarginSeconds } from '../../../store/due-bounds.js'
import { mostCircuits, versionDays } from '../../../store/flow-store.js'
import { rfc3339, timeColumn } from '../connection/time-column.js'

/** Whether a failure opens the circuit: it was open, or the count is full. `$3` fingerprint, `$4` how many open it. */
const count = 'CASE WHEN c.fingerprint = $3::text THEN c.failures + 1 ELSE 1 END'

/** `$1` endpoint, `$2` kind, `$3` name. */
const isTarget = 'endpoint = $1::text AND kind = $2::text AND name = $3::text'

/** Whether the times of a circuit can be trusted. A count from the future means that the clock was ahead then. */
export const isTrusted = (c: string) => `${c}.counted_at <= now() + interval '${clockMarginSeconds} s'`

/** `$1` endpoint. */
const holds = (schema: string) => `
SELECT seq, endpoint, kind, name, reason, actor, ${timeColumn('paused_at')},
  NULL AS type, NULL AS fingerprint, 0 AS failures, NULL AS retry_at, false AS is_on_trial, false AS is_holding
FROM ${schema}.pauses WHERE endpoint = $1::text
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, type, fingerprint, failures, ${timeColumn('retry_at')},
  ${isTrusted('c')} AND coalesce(trial_until > now(), false),
  ${isTrusted('c')} AND coalesce(retry_at > now() OR (retry_at IS NOT NULL AND trial_until > now()), false)
FROM ${schema}.circuits AS c WHERE endpoint = $1::text
ORDER BY seq, type`

/** The statements of {@link postgresFlow}. */
export const flowStatements = (schema: string) => ({
  /** `$1` endpoint, `$2` kind, `$3` name, `$4` reason, `$5` actor. */
  pause: `
INSERT INTO ${schema}.pauses (endpoint, kind, name, reason, actor)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text)
ON CONFLICT (endpoint, kind, md5(name)) DO NOTHING RETURNING seq`,

  /** `$4` when the pause began that may be ended, or null. */
  resume: `
DELETE FROM ${schema}.pauses WHERE ${isTarget} AND ($4::text IS NULL OR ${rfc3339('paused_at')} = $4::text) RETURNING seq`,

  isPaused: `SELECT seq FROM ${schema}.pauses WHERE ${isTarget}`,

  /** `$1` endpoint. Pauses and circuits in one statement. */
  holds: holds(schema),

  /** `$1` endpoint or null. */
  paused: `
SELECT endpoint, kind, name, reason, actor, ${timeColumn('paused_at')} FROM ${schema}.pauses
WHERE $1::text IS NULL OR endpoint = $1::text ORDER BY seq`,

  /** `$1` endpoint, `$2` type, `$3` fingerprint, `$4` how many open it, `$5` seconds. */
  countFailure: `
INSERT INTO ${schema}.circuits AS c (endpoint, type, fingerprint, failures, retry_at)
SELECT $1::text, $2::text, $3::text, 1, CASE WHEN $4::int <= 1 THEN now() + make_interval(secs => $5::float8) END
WHERE EXISTS (SELECT FROM ${schema}.circuits WHERE endpoint = $1::text AND type = $2::text)
  OR (SELECT count(*) FROM ${schema}.circuits WHERE endpoint = $1::text) < ${mostCircuits}
ON CONFLICT (endpoint, type) DO UPDATE SET failures = ${count}, fingerprint = $3::text, trial_until = NULL,
  counted_at = now(),
  retry_at = CASE WHEN c.retry_at IS NOT NULL OR (${count}) >= $4::int
    THEN now() + make_interval(secs => $5::float8) END
RETURNING type`,

  /** `$1` endpoint. The circuits that hold nothing back. */
  forgetCircuits: `
DELETE FROM ${schema}.circuits WHERE endpoint = $1::text
  AND (retry_at IS NULL OR (retry_at <= now() AND coalesce(trial_until <= now(), true)))`,

  /** `$1` seconds. */
  pruneCircuits: `
DELETE FROM ${schema}.circuits WHERE counted_at <= now() - make_interval(secs => $1::float8)
  AND (retry_at IS NULL OR (retry_at <= now() AND coalesce(trial_until <= now(), true)))
RETURNING type`,

  closeCircuit: `
DELETE FROM ${schema}.circuits WHERE endpoint = $1::text AND type = $2::text RETURNING retry_at IS NOT NULL AS was_open`,

  /** `$3` seconds. */
  startTrial: `
UPDATE ${schema}.circuits AS c SET trial_until = now() + make_interval(secs => $3::float8), counted_at = now(),
  retry_at = least(retry_at, now())
WHERE endpoint = $1::text AND type = $2::text AND retry_at IS NOT NULL
  AND (NOT ${isTrusted('c')} OR (retry_at <= now() AND coalesce(trial_until <= now(), true)))
RETURNING type`,

  /** `$1` endpoint, `$2` id, `$3` process, `$4` version, `$5` what is limited. Returns at least one row. */
  beat: `
WITH old AS (
  DELETE FROM ${schema}.workers WHERE seen_at < now() - interval '1 day' AND id <> $2::text
), seen AS (
  INSERT INTO ${schema}.workers (endpoint, id, process, version, limited)
  VALUES ($1::text, $2::text, $3::text, $4::text, $5::text)
  ON CONFLICT (endpoint, id) DO UPDATE SET limited = excluded.limited, seen_at = now()
  RETURNING xmax = 0 AS is_new
), started AS (
  INSERT INTO ${schema}.version_starts AS v (endpoint, version)
  SELECT $1::text, $4::text FROM seen WHERE is_new
  ON CONFLICT (endpoint, version) DO UPDATE SET started_at = now() WHERE v.started_at < (
    SELECT max(started_at) FROM ${schema}.version_starts WHERE endpoint = $1::text)
  RETURNING version
), forgotten AS (
  DELETE FROM ${schema}.version_starts WHERE endpoint = $1::text AND version <> $4::text
    AND started_at < now() - interval '${versionDays} days' AND EXISTS (SELECT FROM started)
)
SELECT has_open_run, held.* FROM (SELECT EXISTS (
  SELECT FROM ${schema}.runs AS r JOIN ${schema}.plans AS p ON p.id = r.plan
  WHERE r.state IN ('running', 'canary') AND p.endpoint = $1::text) AS has_open_run) AS open
LEFT JOIN (${holds(schema)}) AS held ON true ORDER BY held.seq, held.type`,

  leave: `DELETE FROM ${schema}.workers WHERE endpoint = $1::text AND id = $2::text`,

  /** `$2` seconds. */
  workers: `
SELECT endpoint, id, process, version, limited, ${timeColumn('started_at')}, ${timeColumn('seen_at')},
  extract(epoch FROM now() - w.seen_at)::float8 AS silent_seconds FROM ${schema}.workers AS w
WHERE endpoint = $1::text AND w.seen_at > now() - make_interval(secs => $2::float8) ORDER BY w.started_at, id`,

  /** `$1` endpoint. */
  versions: `
SELECT version, ${timeColumn('started_at')} FROM ${schema}.version_starts AS v
WHERE endpoint = $1::text ORDER BY v.started_at, version`,

  /** A handler holds the row of its event, so this skips it. */
  free: `SELECT FROM ${schema}.events WHERE key = $1::text FOR SHARE SKIP LOCKED`,
  /**
   * Since when the transaction runs that holds the row. NULL if this role may not see it. When it ends, the server grants its lock
   * to each transaction that waits for it, in another mode.
   */
  claim: `
SELECT (SELECT ${rfc3339('xact_start')} FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE granted AND mode = 'ExclusiveLock' AND transactionid = xmax) AS since
FROM ${schema}.events WHERE key = $1::text`,

  quarantineCode: (column: 'event_id' | 'content_hash') => `
SELECT code FROM ${schema}.quarantine WHERE endpoint = $1::text AND ${column} = $2::text ORDER BY seq DESC LIMIT 1`,
})
