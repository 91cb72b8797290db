import { clockMarginSeconds, mostLanes, mostOldest } from '../../../store/due-bounds.js'
import { isTrusted } from '../operate/flow-statements.js'
import { eventColumns, headColumns } from './event-columns.js'
import { isInTurn } from './resource-lock.js'

const ofEndpoint = '($2::text IS NULL OR endpoint = $2::text)'

const columnsOf = (bodies = true) => (bodies ? eventColumns : headColumns)

/** Whether anything is held back in the endpoint, or in any. A search by type is needed only then. */
const isAnythingHeld = (schema: string, ofEndpoint: string) => `(
  EXISTS (SELECT FROM ${schema}.pauses WHERE ${ofEndpoint})
  OR EXISTS (SELECT FROM ${schema}.circuits WHERE retry_at IS NOT NULL AND ${ofEndpoint}))`

/**
 * The search locks the rows that it finds until its commit, and a claim waits for that. Nothing is lost with this commit, so it
 * does not wait for the disk.
 */
const withoutFlush = "set_config('synchronous_commit', 'off', true)"

const accepted = "e.state = 'accepted'"
const failed = "e.state = 'failed' AND e.due_at <= now()"
/** A clock that was ahead has scheduled it. */
const ahead = `e.state = 'failed' AND e.scheduled_at > now() + interval '${clockMarginSeconds} s' AND e.due_at > now()`

const runnable = (schema: string, when: string, limit = '$1::int') => `
    SELECT * FROM ${schema}.events AS e WHERE ${when} AND ${isInTurn(schema)}
    ORDER BY e.due_at, e.seq LIMIT ${limit}
    FOR NO KEY UPDATE SKIP LOCKED`

/**
 * `$1` endpoint, if there is one. An accepted event is due whatever its `due_at`. Skips the rows that a worker holds in its
 * transaction, and the events that wait for them. One index scan for each branch. If anything is held back, it reads no event
 * and returns one row that says so.
 *
 * The limit is in the text, and not a value, so that a plan for any values still reads an index in its order.
 */
export const due = (
  schema: string,
  limit: number,
  { isOfEndpoint, bodies }: { readonly isOfEndpoint: boolean; readonly bodies?: boolean },
) => {
  const of = (endpoint: string) => (isOfEndpoint ? `${endpoint} = $1::text` : 'true')
  const free = (when: string) =>
    runnable(schema, `(SELECT NOT is_held FROM flow) AND ${when} AND ${of('e.endpoint')}`, String(limit))
  return `
WITH flow AS MATERIALIZED (SELECT ${isAnythingHeld(schema, of('endpoint'))} AS is_held)
SELECT ${columnsOf(bodies)}, is_held, ${withoutFlush} FROM flow LEFT JOIN (
  SELECT * FROM (${free(accepted)}) AS accepted
  UNION ALL
  SELECT * FROM (${free(failed)}) AS failed
  UNION ALL
  SELECT * FROM (${free(ahead)}) AS ahead
) AS e ON true ORDER BY e.due_at, e.seq LIMIT ${limit}`
}

/**
 * The types of the open events of a state. Finds each type with one index lookup: the first {@link mostLanes} types after `$6`
 * endpoint and `$7` type.
 */
const lanes = (schema: string, state: string) => {
  // This is not a row comparison: with a condition on the endpoint, Postgres would read every event before this place.
  const next = (endpoint: string, type: string) => `
    SELECT endpoint, type FROM (
      (SELECT endpoint, type FROM ${schema}.events
      WHERE state = '${state}' AND endpoint = ${endpoint} AND type > ${type} ORDER BY type LIMIT 1)
      UNION ALL
      (SELECT endpoint, type FROM ${schema}.events
      WHERE state = '${state}' AND $2::text IS NULL AND endpoint > ${endpoint} ORDER BY endpoint, type LIMIT 1)
    ) AS next ORDER BY endpoint, type LIMIT 1`
  return `
${state}_lanes AS (
  (SELECT endpoint, type, 1 AS n FROM (${next('coalesce($2::text, $6::text)', '$7::text')}) AS first)
  UNION ALL
  SELECT next.endpoint, next.type, lane.n + 1 FROM ${state}_lanes AS lane
  CROSS JOIN LATERAL (${next('lane.endpoint', 'lane.type')}) AS next
  WHERE lane.n < ${mostLanes}
)`
}

/** The lanes of `$3`, the requested types. No index lookup is needed. */
const namedLanes = (state: string) => `
${state}_lanes AS (SELECT $2::text AS endpoint, type, 0 AS n FROM unnest($3::text[]) AS type)`

/** Whether the type of `l` may run. `$3` types or null for all, `$4` types that are left out. */
const isLaneFree = (schema: string) => `
  ($3::text[] IS NULL OR l.type = ANY ($3::text[])) AND l.type <> ALL ($4::text[])
  AND NOT EXISTS (SELECT FROM ${schema}.pauses AS p WHERE p.endpoint = l.endpoint
    AND (p.kind = 'endpoint' OR (p.kind = 'type' AND p.name = l.type)))
  AND NOT EXISTS (SELECT FROM ${schema}.circuits AS c WHERE c.endpoint = l.endpoint AND c.type = l.type
    AND c.retry_at IS NOT NULL AND ${isTrusted('c')} AND (c.retry_at > now() OR c.trial_until > now()))`

/** Whether the resource of an event may run. `$5` resources that are left out. */
const isResourceFree = (schema: string, e = 'e') => `
  (${e}.resource IS NULL OR (${e}.resource <> ALL ($5::text[]) AND NOT EXISTS (
    SELECT FROM ${schema}.pauses AS p
    WHERE p.endpoint = ${e}.endpoint AND p.kind = 'resource' AND p.name = ${e}.resource)))`

/**
 * The same if something is held back. It searches each type separately, so it never reads events that are held back. Returns
 * at least one row. `next_endpoint` and `next_type` say where to continue, if there are more types. With `isNamed` only for
 * `$3`.
 */
export const dueByType = (
  schema: string,
  { isNamed, bodies }: { readonly isNamed: boolean; readonly bodies?: boolean },
) => {
  const of = (state: string) => (isNamed ? namedLanes(state) : lanes(schema, state))
  const ofLanes = (state: string, when: string) => `
  SELECT e.* FROM (SELECT * FROM ${state}_lanes AS l WHERE ${isLaneFree(schema)}) AS l CROSS JOIN LATERAL (${runnable(
    schema,
    `e.endpoint = l.endpoint AND e.type = l.type AND ${when} AND ${isResourceFree(schema)}`,
  )}) AS e`
  const last = (state: string) => `SELECT endpoint, type FROM ${state}_lanes WHERE n = ${mostLanes}`
  return `
WITH RECURSIVE ${of('accepted')}, ${of('failed')}, next AS (
  SELECT * FROM (${last('accepted')} UNION ALL ${last('failed')}) AS last ORDER BY endpoint, type LIMIT 1
)
SELECT ${columnsOf(bodies)}, (SELECT endpoint FROM next) AS next_endpoint, (SELECT type FROM next) AS next_type,
  ${withoutFlush}
FROM (SELECT $6::text, $7::text) AS place LEFT JOIN (${ofLanes('accepted', accepted)}
  UNION ALL ${ofLanes('failed', failed)}
  UNION ALL ${ofLanes('failed', ahead)}
) AS e ON true ORDER BY e.due_at, e.seq LIMIT $1::int`
}

/**
 * The same for any number of types. It reads the oldest events of all types, so that many types do not make it slow. Returns
 * at least one row. `is_more` says that it did not read every event. `$6` and `$7` as above, without effect.
 */
export const dueAmongOldest = (schema: string, bodies?: boolean) => {
  const oldest = (when: string) => `
    (SELECT key, endpoint, type, resource, due_at, seq FROM ${schema}.events AS e
    WHERE ${when} AND ${ofEndpoint} ORDER BY e.due_at, e.seq LIMIT $1::int + ${mostOldest})`
  const isFull = (name: string) => `(SELECT count(*) FROM ${name}) = $1::int + ${mostOldest}`
  const names = ['accepted', 'failed', 'ahead']
  return `
WITH accepted AS MATERIALIZED ${oldest(accepted)}, failed AS MATERIALIZED ${oldest(failed)},
ahead AS MATERIALIZED ${oldest(ahead)}, free AS MATERIALIZED (
  SELECT l.key, l.due_at, l.seq FROM (${names.map((name) => `SELECT * FROM ${name}`).join(' UNION ALL ')}) AS l
  WHERE ${isLaneFree(schema)} AND ${isResourceFree(schema, 'l')}
), found AS (
  SELECT e.* FROM free JOIN ${schema}.events AS e ON e.key = free.key
  WHERE e.state IN ('accepted', 'failed') AND ${isInTurn(schema)}
  ORDER BY free.due_at, free.seq LIMIT $1::int FOR NO KEY UPDATE OF e SKIP LOCKED
)
SELECT ${columnsOf(bodies)}, place.is_more, ${withoutFlush}
FROM (SELECT ${names.map(isFull).join(' OR ')} AS is_more, $6::text, $7::text) AS place
LEFT JOIN found AS e ON true ORDER BY e.due_at, e.seq`
}
