import { judgeSources, mostInDay, mostTypes, mostWaiting, rememberedSeconds } from '../../../store/sources.js'
import type { StatisticsStore } from '../../../store/statistics-store.js'
import type { Query, Row } from '../connection/transactions.js'

/** When each type last arrived, without edited copies, which no sender has sent: one statement, with a few bounded index scans for each type. */
export function postgresSources(query: Query, schema: string): StatisticsStore['sources'] {
  const text = statement(schema)
  return async (endpoint) => {
    const rows = await query(text, [endpoint])
    const facts = rows
      .slice(0, mostTypes)
      .filter(({ last }) => last !== null)
      .map(toFacts)
    const [first] = rows
    return judgeSources(facts, { now: (first?.now ?? 0) * 1000, isCapped: rows.length > mostTypes })
  }
}

const toFacts = ({ type, last, seen, seen_with_endpoint, has_unread }: Row) => ({
  type: type as string,
  lastAt: last * 1000,
  seen: Number(seen),
  seenWithEndpoint: Number(seen_with_endpoint),
  hasUnread: has_unread as boolean,
})

/** `$1` endpoint. Reads the types from three indexes, with one lookup for each type. Times as seconds since 1970. */
function statement(schema: string): string {
  const events = `${schema}.events`
  const isMine = 'e.endpoint COLLATE "C" = $1::text'
  const nextEnded = (condition: string) => `
    SELECT e.type FROM ${events} AS e WHERE ${isMine} AND e.state IN ('done', 'dead') ${condition}
    ORDER BY e.type COLLATE "C" LIMIT 1`
  // Without a collation, because the indexes of waiting events have none.
  const nextWaiting = (state: string, condition: string) => `
    SELECT e.type FROM ${events} AS e WHERE e.endpoint = $1::text AND e.state = '${state}' ${condition}
    ORDER BY e.type LIMIT 1`
  const allWaiting = (state: string) => `
${state}_types (type, n) AS (
  (SELECT type, 1 FROM (${nextWaiting(state, '')}) AS first)
  UNION ALL
  SELECT (${nextWaiting(state, `AND e.type > ${state}_types.type`)}), n + 1 FROM ${state}_types
  WHERE ${state}_types.type IS NOT NULL AND n <= ${mostTypes}
)`
  const isOfType = `${isMine} AND e.type COLLATE "C" = t.type COLLATE "C"`
  // A released event arrived before it was received. It is the last one only if its delivery came after the newest other one.
  const lastEnded = (state: string) => `
    (SELECT greatest(own.at, (SELECT max(e.delivered_at) FROM ${events} AS e
       WHERE ${isOfType} AND e.state = '${state}' AND e.received_at > coalesce(own.at, '-infinity')))
     FROM (SELECT (SELECT e.received_at FROM ${events} AS e
       WHERE ${isOfType} AND e.state = '${state}' AND e.parent IS NULL AND e.delivered_at IS NULL
       ORDER BY e.received_at DESC LIMIT 1) AS at OFFSET 0) AS own)`
  const waiting = (state: string) => `
  CROSS JOIN LATERAL (SELECT max(coalesce(delivered_at, received_at)) FILTER (WHERE parent IS NULL) AS last, count(*) AS seen FROM (
    SELECT e.received_at, e.delivered_at, e.parent FROM ${events} AS e WHERE e.endpoint = $1::text AND e.type = t.type AND e.state = '${state}'
    LIMIT ${mostWaiting + 1}) AS sample) AS ${state}`
  const seen = (state: string, until: string) => `
    (SELECT count(*) FROM (SELECT FROM ${events} AS e WHERE ${isOfType} AND e.state = '${state}'
     AND e.received_at > ${until} - interval '1 day' AND e.received_at <= ${until} LIMIT ${mostInDay + 1}) AS sample)`
  const inDay = (until: string) =>
    `least(${seen('done', until)} + ${seen('dead', until)}, ${mostInDay + 1})::float8`
  return `
WITH RECURSIVE found (type, n) AS (
  (SELECT type, 1 FROM (${nextEnded('')}) AS first)
  UNION ALL
  SELECT (${nextEnded('AND e.type COLLATE "C" > found.type COLLATE "C"')}), n + 1 FROM found
  WHERE found.type IS NOT NULL AND n <= ${mostTypes}
), ${allWaiting('accepted')}, ${allWaiting('failed')}, known AS (
  SELECT type FROM found UNION SELECT type FROM accepted_types UNION SELECT type FROM failed_types
), dated AS MATERIALIZED (
  SELECT t.type, greatest(${lastEnded('done')}, ${lastEnded('dead')}, accepted.last, failed.last) AS last,
    accepted.seen > ${mostWaiting} OR failed.seen > ${mostWaiting} AS has_unread
  FROM (SELECT type FROM known WHERE type IS NOT NULL ORDER BY type COLLATE "C" LIMIT ${mostTypes + 1}) AS t ${waiting('accepted')} ${waiting('failed')}
), kept AS (
  SELECT type, has_unread, CASE WHEN last > now() - make_interval(secs => ${rememberedSeconds}) THEN last END AS last,
    max(last) OVER () AS newest FROM dated
)
SELECT t.type, t.has_unread, extract(epoch FROM t.last)::float8 AS last, extract(epoch FROM now())::float8 AS now,
  CASE WHEN t.last IS NOT NULL THEN ${inDay('t.last')} END AS seen,
  CASE WHEN t.last IS NOT NULL THEN ${inDay('t.newest')} END AS seen_with_endpoint
FROM kept AS t ORDER BY t.type COLLATE "C"`
}
