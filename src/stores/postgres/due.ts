import { eventColumns } from './event-columns.js'
import { isInTurn } from './resource-lock.js'

const ofEndpoint = '($2::text IS NULL OR endpoint = $2::text)'

/** Whether anything is held back in the endpoint, or in any. A search by type is needed only then. */
const isAnythingHeld = (schema: string) => `(
  EXISTS (SELECT FROM ${schema}.pauses WHERE ${ofEndpoint})
  OR EXISTS (SELECT FROM ${schema}.circuits WHERE retry_at IS NOT NULL AND ${ofEndpoint}))`

/**
 * The search locks the rows that it finds until its commit, and a claim waits for that. Nothing is lost with this commit, so it
 * does not wait for the disk.
 */
const withoutFlush = "set_config('synchronous_commit', 'off', true)"

const accepted = "e.state = 'accepted'"
const failed = "e.state = 'failed' AND e.due_at <= now()"
/** It was scheduled by a clock that was ahead. */
const ahead = "e.state = 'failed' AND e.scheduled_at > now() AND e.due_at > now()"

const runnable = (schema: string, when: string) => `
    SELECT * FROM ${schema}.events AS e WHERE ${when} AND ${isInTurn(schema)}
    ORDER BY e.due_at, e.seq LIMIT $1::int
    FOR NO KEY UPDATE SKIP LOCKED`

/**
 * `$1` how many, `$2` endpoint or null. An accepted event is due whatever its `due_at`. Skips the rows that a worker
 * holds in its transaction, and the events that wait for them. One index scan for each branch. Where anything is held
 * back it reads no event, and returns one row that says so.
 */
export const due = (schema: string) => {
  const free = (when: string) =>
    runnable(
      schema,
      `(SELECT NOT is_held FROM flow) AND ${when} AND ${ofEndpoint.replace('endpoint', 'e.endpoint')}`,
    )
  return `
WITH flow AS MATERIALIZED (SELECT ${isAnythingHeld(schema)} AS is_held)
SELECT ${eventColumns}, is_held, ${withoutFlush} FROM flow LEFT JOIN (
  SELECT * FROM (${free(accepted)}) AS accepted
  UNION ALL
  SELECT * FROM (${free(failed)}) AS failed
  UNION ALL
  SELECT * FROM (${free(ahead)}) AS ahead
) AS e ON true ORDER BY e.due_at, e.seq LIMIT $1::int`
}

/** The types of the open events of a state, found by one look into the index for each. */
const lanes = (schema: string, state: string) => `
${state}_lanes AS (
  (SELECT endpoint, type FROM ${schema}.events WHERE state = '${state}' AND ${ofEndpoint}
  ORDER BY endpoint, type LIMIT 1)
  UNION ALL
  SELECT next.endpoint, next.type FROM ${state}_lanes AS lane CROSS JOIN LATERAL (
    SELECT endpoint, type FROM ${schema}.events
    WHERE state = '${state}' AND ${ofEndpoint} AND (endpoint, type) > (lane.endpoint, lane.type)
    ORDER BY endpoint, type LIMIT 1) AS next
)`

/** Whether the type of `l` may run. `$3` types or null for all, `$4` types that are left out. */
const isLaneFree = (schema: string) => `
  ($3::text[] IS NULL OR l.type = ANY ($3::text[])) AND l.type <> ALL ($4::text[])
  AND NOT EXISTS (SELECT FROM ${schema}.pauses AS p WHERE p.endpoint = l.endpoint
    AND (p.kind = 'endpoint' OR (p.kind = 'type' AND p.name = l.type)))
  AND NOT EXISTS (SELECT FROM ${schema}.circuits AS c WHERE c.endpoint = l.endpoint AND c.type = l.type
    AND c.retry_at IS NOT NULL AND (c.retry_at > now() OR c.trial_until > now()))`

/** Whether the resource of `e` may run. `$5` resources that are left out. */
const isResourceFree = (schema: string) => `
  (e.resource IS NULL OR (e.resource <> ALL ($5::text[]) AND NOT EXISTS (
    SELECT FROM ${schema}.pauses AS p
    WHERE p.endpoint = e.endpoint AND p.kind = 'resource' AND p.name = e.resource)))`

/** The same where something is held back: each type is searched on its own, so that held ones are never read. */
export const dueByType = (schema: string) => {
  const ofLanes = (state: string, when: string) => `
  SELECT e.* FROM (SELECT * FROM ${state}_lanes AS l WHERE ${isLaneFree(schema)}) AS l CROSS JOIN LATERAL (${runnable(
    schema,
    `e.endpoint = l.endpoint AND e.type = l.type AND ${when} AND ${isResourceFree(schema)}`,
  )}) AS e`
  return `
WITH RECURSIVE ${lanes(schema, 'accepted')}, ${lanes(schema, 'failed')}
SELECT ${eventColumns}, ${withoutFlush} FROM (${ofLanes('accepted', accepted)}
  UNION ALL ${ofLanes('failed', failed)}
  UNION ALL ${ofLanes('failed', ahead)}
) AS e ORDER BY e.due_at, e.seq LIMIT $1::int`
}
