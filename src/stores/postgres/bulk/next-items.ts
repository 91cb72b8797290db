import { stateSql } from '../../../store/applied-events.js'
import { pageSize } from './postgres-plans.js'

/** The places of the next events of the plan `$1`, after the place `$2`, at most `$3`. */
const nextPlaces = (schema: string) => `
  SELECT (p.first + i.n - 1)::int AS place, i.key, i.generation FROM ${schema}.plan_pages AS p
  CROSS JOIN LATERAL unnest(p.keys, p.generations) WITH ORDINALITY AS i (key, generation, n)
  WHERE p.plan = $1::text AND p.first > $2::int + 1 - ${pageSize} AND p.first <= $2::int + $3::int
    AND p.first + i.n - 1 > $2::int
  ORDER BY place LIMIT $3::int`

/**
 * Locks the roots of the next events until the end of the transaction. Otherwise two runs could each replay a version of
 * one event at the same moment, because neither sees what the other has not committed. Locks in one order, so that two
 * runs do not wait for each other.
 */
export const lockRoots = (schema: string) => `
SELECT pg_advisory_xact_lock(lock)::text FROM (
  SELECT DISTINCT hashtextextended(jsonb_build_array('${schema}', 'root', e.endpoint, e.root)::text, 0) AS lock
  FROM (${nextPlaces(schema)}) AS next JOIN ${schema}.events AS e ON e.key = next.key
  WHERE e.root IS NOT NULL ORDER BY lock) AS roots`

/**
 * The next events of a plan with their current state. If a handler holds a row in its transaction, the row exists but is not
 * free.
 */
export const nextItems = (schema: string) => `
WITH next AS (${nextPlaces(schema)}
), free AS (
  SELECT e.* FROM ${schema}.events AS e WHERE e.key = ANY (ARRAY(SELECT key FROM next))
  FOR NO KEY UPDATE SKIP LOCKED
)
SELECT n.place, n.key, n.generation AS planned, free.key IS NULL AND e.key IS NOT NULL AS is_running,
  coalesce(free.state, e.state) AS state,
  ${stateSql('free')} AS was,
  coalesce(free.generation, e.generation) AS generation,
  coalesce(free.due_at <= now(), false) AS is_due, e.failures, e.id, e.type, e.endpoint, e.resource, free.failure_group,
  e.root, EXISTS (SELECT FROM ${schema}.events AS v WHERE v.root COLLATE "C" = e.root AND v.endpoint = e.endpoint
    AND v.key <> e.key AND v.state IN ('accepted', 'failed', 'done')) AS has_other_version
FROM next AS n LEFT JOIN ${schema}.events AS e ON e.key = n.key LEFT JOIN free ON free.key = n.key
ORDER BY n.place`
