import { limitsOf, mostInBucket, spread } from '../../../store/buckets.js'
import { latencyOf, mostTimed, type StatisticsBucket, type Timed } from '../../../store/statistics-store.js'
import type { Query, Row } from '../connection/transactions.js'

const states = ['accepted', 'failed', 'done', 'dead']

/** Where the buckets lie. `from` is in seconds since 1970. */
interface Span {
  readonly from: number
  readonly bucketSeconds: number
  readonly howMany: number
}

/** What arrived in each bucket. Each statement reads a limited part of an index. */
export function postgresBuckets(query: Query, schema: string) {
  const sql = statements(schema)
  return async (endpoint: string | undefined, { from, bucketSeconds, howMany }: Span) => {
    const read = (statement: string, limits: readonly number[]) =>
      query(statement, [endpoint ?? null, from, bucketSeconds, limits])
    const first = await read(sql.counts, Array(howMany).fill(mostInBucket))
    const limits = limitsOf(first.map(({ seen }) => seen))
    const counts = limits.every((limit) => limit === mostInBucket) ? first : await read(sql.counts, limits)
    const timed = await read(sql.timed, limits)
    const samples = timed.map(({ seconds, part }, i): Timed => ({ seconds, events: counts[i]?.done * part }))
    return { samples, buckets: counts.map(bucketOf) }

    function bucketOf({ received, done, dead, seen }: Row, i: number): StatisticsBucket {
      const latency = latencyOf(samples.slice(i, i + 1))
      return {
        startsAt: new Date((from + i * bucketSeconds) * 1000).toISOString(),
        received,
        done,
        dead,
        ...(latency && { latency }),
        isCapped: seen > (limits[i] as number),
      }
    }
  }
}

/** `$1` endpoint or null, `$2` where the first bucket begins, `$3` seconds of each, `$4` the limit of each. */
function statements(schema: string) {
  const events = `${schema}.events`
  const isMine = '($1::text IS NULL OR endpoint = $1::text)'
  const buckets = `(
  SELECT i, most, to_timestamp($2::float8 + (i - 1) * $3::float8) AS starts,
    CASE WHEN i = cardinality($4::int[]) THEN 'infinity' ELSE to_timestamp($2::float8 + i * $3::float8) END AS ends
  FROM unnest($4::int[]) WITH ORDINALITY AS each (most, i)) AS b`
  const inBucket = 'received_at >= b.starts AND received_at < b.ends'
  return {
    /** `seen`: how many of its busiest state were read, at most one more than the limit. */
    counts: `
SELECT sum(c.mine)::float8 AS received, max(c.seen)::float8 AS seen,
  sum(c.mine) FILTER (WHERE s.state = 'done')::float8 AS done,
  sum(c.mine) FILTER (WHERE s.state = 'dead')::float8 AS dead
FROM ${buckets}
CROSS JOIN unnest(ARRAY['${states.join("', '")}']) AS s (state)
CROSS JOIN LATERAL (SELECT least(count(*) FILTER (WHERE ${isMine}), b.most) AS mine, count(*) AS seen FROM (
  SELECT endpoint FROM ${events} WHERE state = s.state AND ${inBucket} LIMIT b.most + 1) AS sample) AS c
GROUP BY b.i ORDER BY b.i`,

    /** `part`: how many of the events that were chosen are not replayed. The index tells all that the choice needs. */
    timed: `
SELECT coalesce(t.seconds, '{}') AS seconds, t.part
FROM ${buckets}
CROSS JOIN LATERAL (
  SELECT array_agg(extract(epoch FROM e.done_at - e.received_at)::float8) FILTER (WHERE e.generation = 0) AS seconds,
    coalesce(count(*) FILTER (WHERE e.generation = 0) / nullif(count(*), 0)::float8, 0) AS part
  FROM (SELECT received_at, seq FROM (
      SELECT received_at, seq, endpoint FROM ${events} WHERE state = 'done' AND ${inBucket}
      ORDER BY received_at DESC LIMIT b.most) AS counted
    WHERE ${isMine} ORDER BY ${spread('seq')} LIMIT ${mostTimed}) AS chosen
  JOIN ${events} AS e ON e.state = 'done' AND e.received_at = chosen.received_at AND e.seq = chosen.seq) AS t
ORDER BY b.i`,
  }
}
