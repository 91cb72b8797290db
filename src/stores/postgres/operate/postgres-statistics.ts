import { spanOf } from '../../../store/buckets.js'
import { capped } from '../../../store/capped-count.js'
import {
  latencyOf,
  mostCounted,
  type Statistics,
  type StatisticsStore,
} from '../../../store/statistics-store.js'
import type { Query, Row } from '../connection/transactions.js'
import { waitingSince } from './oldest.js'
import { postgresBuckets } from './postgres-buckets.js'
import { postgresSources } from './postgres-sources.js'

/** Counts and latencies of the inbox, from limited index scans. */
export function postgresStatistics(query: Query, schema: string): StatisticsStore {
  const statement = totalsStatement(schema)
  const readBuckets = postgresBuckets(query, schema)
  return {
    sources: postgresSources(query, schema),

    async read(asked): Promise<Statistics> {
      const [totals] = await query(statement, [asked.endpoint ?? null])
      const { now, oldest, newest } = totals as Row
      const { from, bucketSeconds } = spanOf(asked, now)
      const { buckets, samples } = await readBuckets(asked.endpoint, {
        from,
        bucketSeconds,
        howMany: asked.buckets,
      })
      const total = (state: string) =>
        capped(Number(totals?.[`${state}_mine`]), Number(totals?.[`${state}_seen`]), mostCounted)
      const latency = latencyOf(samples)
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
        buckets,
      }
    },
  }
}

const time = (seconds: number) => new Date(seconds * 1000).toISOString()

const states = ['accepted', 'failed', 'done', 'dead']

/**
 * `$1` endpoint or null. Times as seconds since 1970, which every driver returns as numbers. Without `OFFSET` the planner
 * counts again for each column.
 */
function totalsStatement(schema: string): string {
  const events = `${schema}.events`
  const isMine = '($1::text IS NULL OR endpoint = $1::text)'
  const count = (name: string, from: string) => `
  (SELECT ARRAY[count(*) FILTER (WHERE ${isMine}), count(*)]::float8[] FROM (
    SELECT endpoint FROM ${from} LIMIT ${mostCounted + 1}) AS sample) AS ${name}`
  const newestOf = (columns: string, condition: string) => `
    SELECT received_at, endpoint, ${columns} FROM ${events} WHERE ${condition}
    ORDER BY received_at DESC LIMIT ${mostCounted}`
  // A released event arrived before it was received. It is the last one only if its delivery came after the newest other one.
  const newest = (state: string) => `
  (SELECT extract(epoch FROM greatest(own.at, (SELECT max(delivered_at) FROM (
    ${newestOf('delivered_at', `state = '${state}' AND received_at > coalesce(own.at, '-infinity')`)}) AS later
    WHERE ${isMine})))::float8
   FROM (SELECT (SELECT received_at FROM (
    ${newestOf('delivered_at, parent', `state = '${state}'`)}) AS sample
    WHERE ${isMine} AND parent IS NULL AND delivered_at IS NULL ORDER BY received_at DESC LIMIT 1) AS at OFFSET 0) AS own)`
  const totals = ['accepted', 'failed', 'dead', 'quarantined']
  const parts = totals.flatMap((name) => [`${name}[1] AS ${name}_mine`, `${name}[2] AS ${name}_seen`])
  return `
SELECT ${parts.join(', ')}, oldest, newest, extract(epoch FROM now())::float8 AS now FROM (SELECT
${['accepted', 'failed', 'dead'].map((state) => count(state, `${events} WHERE state = '${state}'`)).join(',')},
${count('quarantined', `${schema}.quarantine`)},
  extract(epoch FROM ${waitingSince(schema, isMine)})::float8 AS oldest,
  greatest(${states.map(newest).join(', ')}) AS newest OFFSET 0) AS counted`
}
