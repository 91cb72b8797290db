import { capped } from '../../../store/capped-count.js'
import {
  latencyOf,
  mostCounted,
  mostInBucket,
  mostReadToTime,
  mostTimed,
  type Statistics,
  type StatisticsStore,
  type Timed,
} from '../../../store/statistics-store.js'
import type { Query, Row } from '../connection/transactions.js'
import { waitingSince } from './oldest.js'
import { postgresSources } from './postgres-sources.js'

/** Counts and latencies of the inbox: two statements with limited index scans. */
export function postgresStatistics(query: Query, schema: string): StatisticsStore {
  const sql = statements(schema)
  return {
    sources: postgresSources(query, schema),

    async read({ endpoint, since, buckets }): Promise<Statistics> {
      const about = [endpoint ?? null]
      const [totals] = await query(sql.totals, about)
      const { now, oldest, newest } = totals as Row
      const from = Math.min(since.getTime() / 1000, now - 1)
      const bucketSeconds = (now - from) / buckets
      const rows = await query(sql.buckets, [...about, from, bucketSeconds, buckets])
      const total = (state: string) =>
        capped(Number(totals?.[`${state}_mine`]), Number(totals?.[`${state}_seen`]), mostCounted)
      const latency = latencyOf(rows.map(timedOf))
      return {
        at: time(now),
        since: time(from),
        bucketSeconds,
        accepted: total('accepted'),
        failed: total('failed'),
        dead: total('dead'),
        quarantined: total('quarantined'),
        oldestWaitingSeconds: oldest === null ? 0 : Math.max(0, now - oldest),
        ...(newest !== null && { lastReceivedAt: time(newest) }),
        ...(latency && { latency }),
        buckets: rows.map((row, i) => bucket(row, from + i * bucketSeconds)),
      }
    },
  }
}

const time = (seconds: number) => new Date(seconds * 1000).toISOString()

const timedOf = ({ done, share, timed }: Row): Timed => ({ seconds: timed, events: done * share })

function bucket(row: Row, startsAt: number) {
  const { mine, done, dead, most } = row
  const latency = latencyOf([timedOf(row)])
  return {
    startsAt: time(startsAt),
    received: Number(mine),
    done: Number(done),
    dead: Number(dead),
    ...(latency && { latency }),
    isCapped: Number(most) > mostInBucket,
  }
}

const states = ['accepted', 'failed', 'done', 'dead']

function statements(schema: string) {
  const events = `${schema}.events`
  const isMine = '($1::text IS NULL OR endpoint = $1::text)'
  const count = (name: string, from: string) => `
  (SELECT ARRAY[count(*) FILTER (WHERE ${isMine}), count(*)]::float8[] FROM (
    SELECT endpoint FROM ${from} LIMIT ${mostCounted + 1}) AS sample) AS ${name}`
  const newest = (state: string) => `
  (SELECT extract(epoch FROM received_at)::float8 FROM (
    SELECT received_at, endpoint, parent FROM ${events} WHERE state = '${state}'
    ORDER BY received_at DESC LIMIT ${mostCounted}) AS sample
   WHERE ${isMine} AND parent IS NULL ORDER BY received_at DESC LIMIT 1)`
  const totals = ['accepted', 'failed', 'dead', 'quarantined']
  const parts = totals.flatMap((name) => [`${name}[1] AS ${name}_mine`, `${name}[2] AS ${name}_seen`])
  return {
    /**
     * `$1` endpoint or null. Times as seconds since 1970, which every driver returns as numbers. Without `OFFSET` the planner
     * counts again for each column.
     */
    totals: `
SELECT ${parts.join(', ')}, oldest, newest, extract(epoch FROM now())::float8 AS now FROM (SELECT
${['accepted', 'failed', 'dead'].map((state) => count(state, `${events} WHERE state = '${state}'`)).join(',')},
${count('quarantined', `${schema}.quarantine`)},
  extract(epoch FROM ${waitingSince(schema, isMine)})::float8 AS oldest,
  greatest(${states.map(newest).join(', ')}) AS newest OFFSET 0) AS counted`,

    /** `$1` endpoint or null, `$2` where the first bucket begins, `$3` seconds of each, `$4` how many. */
    buckets: `
SELECT sum(c.mine)::float8 AS mine, max(c.seen)::float8 AS most,
  sum(c.mine) FILTER (WHERE s.state = 'done')::float8 AS done,
  sum(c.mine) FILTER (WHERE s.state = 'dead')::float8 AS dead,
  max(t.share) AS share, coalesce(max(t.seconds[1:${mostTimed}]), '{}') AS timed
FROM (SELECT i, to_timestamp($2::float8 + i * $3::float8) AS starts, 
    CASE WHEN i = $4::int - 1 THEN 'infinity' ELSE to_timestamp($2::float8 + (i + 1) * $3::float8) END AS ends
  FROM generate_series(0, $4::int - 1) AS i) AS b
CROSS JOIN unnest(ARRAY['${states.join("', '")}']) AS s (state)
CROSS JOIN LATERAL (SELECT least(count(*) FILTER (WHERE ${isMine}), ${mostInBucket}) AS mine, count(*) AS seen FROM (
  SELECT endpoint FROM ${events} WHERE state = s.state AND received_at >= b.starts AND received_at < b.ends
  LIMIT ${mostInBucket + 1}) AS sample) AS c
CROSS JOIN LATERAL (
  SELECT array_agg(seconds ORDER BY received_at DESC) FILTER (WHERE generation = 0) AS seconds,
    coalesce(count(*) FILTER (WHERE generation = 0) / nullif(count(*), 0)::float8, 0) AS share FROM (
    SELECT extract(epoch FROM done_at - received_at)::float8 AS seconds, endpoint, generation, received_at FROM ${events}
    WHERE s.state = 'done' AND state = 'done' AND received_at >= b.starts AND received_at < b.ends
    ORDER BY received_at DESC LIMIT ${mostReadToTime}) AS newest WHERE ${isMine}) AS t
GROUP BY b.i, b.starts, b.ends ORDER BY b.i`,
  }
}
