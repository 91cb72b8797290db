import { spanOf } from '../../../store/buckets.js'
import { capped } from '../../../store/capped-count.js'
import {
  latencyOf,
  mostCounted,
  type Statistics,
  type StatisticsStore,
} from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { readBuckets } from './sqlite-buckets.js'
import { count, isMine, type Mine } from './sqlite-counted.js'
import { waitingSince } from './sqlite-oldest.js'
import { sqliteSources } from './sqlite-sources.js'

const events = 'webhook_inbox_events'

const newestAmong = (state: string, limit: number) => `
  SELECT received_at AS at FROM (SELECT received_at, delivered_at, endpoint, parent FROM ${events} WHERE state = '${state}'
    ORDER BY received_at DESC LIMIT ${limit})
  WHERE ${isMine} AND parent IS NULL AND delivered_at IS NULL ORDER BY received_at DESC LIMIT 1`

/** Of released events, which arrived before they were received. */
const newestReleased = (state: string) => `
  SELECT max(delivered_at) AS at FROM (
    SELECT delivered_at, endpoint FROM ${events} WHERE state = '${state}' AND received_at > ?
    ORDER BY received_at DESC LIMIT ${mostCounted})
  WHERE ${isMine}`

/** The newest event of an endpoint is almost always among these. Sorting all takes milliseconds. */
const mostReadFirst = 100

const states = ['accepted', 'failed', 'done', 'dead'] as const

/** Counts and latencies of the inbox. */
export function sqliteStatistics<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): StatisticsStore {
  const inTurn = <Value>(read: () => Value) => connection.readInTurn('count events', read)

  return {
    sources: sqliteSources(connection),

    async read(query): Promise<Statistics> {
      const mine: Mine = [query.endpoint === undefined ? 1 : 0, query.endpoint ?? '']
      const now = Date.now()
      const { from, bucketSeconds } = spanOf(query, now / 1000)
      const timeOf = (bucket: number) => Math.round((from + bucket * bucketSeconds) * 1000)
      const total = (table: string) =>
        inTurn(() => {
          const found = count(connection, table, { mine, limit: mostCounted })
          return capped(found.mine, found.seen, mostCounted)
        })
      const oldest = await waitingSince(connection, mine)
      const newest = await inTurn(() => states.map(newestOf).filter((time) => time !== undefined))
      const counts = {
        accepted: await total(`${events} WHERE state = 'accepted'`),
        failed: await total(`${events} WHERE state = 'failed'`),
        dead: await total(`${events} WHERE state = 'dead'`),
        quarantined: await total('webhook_inbox_quarantine'),
      }
      const last = query.buckets - 1
      const bounds = Array.from(
        { length: query.buckets },
        // What arrived in this millisecond belongs to the last bucket.
        (_, i) => [timeOf(i), i === last ? now + 1 : timeOf(i + 1)] as const,
      )
      const { buckets, samples } = await readBuckets(connection, mine, bounds)
      const latency = latencyOf(samples)
      return {
        at: new Date(now).toISOString(),
        since: new Date(timeOf(0)).toISOString(),
        bucketSeconds,
        ...counts,
        oldestWaitingSeconds: oldest === undefined ? 0 : Math.max(0, (now - oldest) / 1000),
        ...(newest.length > 0 && { lastReceivedAt: new Date(Math.max(...newest)).toISOString() }),
        ...(latency && { latency }),
        buckets,
      }

      function releasedAfter(time: number, state: string): number | undefined {
        const [row] = connection.all<{ at: number | null }>(newestReleased(state), time, ...mine)
        return row?.at == null ? undefined : Number(row.at)
      }

      function newestOf(state: string): number | undefined {
        for (const limit of [mostReadFirst, mostCounted]) {
          const [row] = connection.all<{ at: number }>(newestAmong(state, limit), ...mine)
          if (row) {
            return Math.max(Number(row.at), releasedAfter(Number(row.at), state) ?? 0)
          }
        }
        return releasedAfter(0, state)
      }
    },
  }
}
