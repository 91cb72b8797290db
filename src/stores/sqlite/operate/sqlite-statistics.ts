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
import type { CountedState } from './event-parts.js'
import { readBuckets } from './sqlite-buckets.js'
import { countQuarantined, EventCount, type Mine } from './sqlite-counted.js'
import { newestOf } from './sqlite-newest.js'
import { waitingSince } from './sqlite-oldest.js'
import { sqliteSources } from './sqlite-sources.js'

const states = ['accepted', 'failed', 'done', 'dead'] as const

/** Counts and latencies of the inbox, read in parts, so that deliveries do not wait for a large inbox. */
export function sqliteStatistics<Database extends SqliteDatabase>(
  connection: Connection<Database>,
): StatisticsStore {
  return {
    sources: sqliteSources(connection),

    async read(query): Promise<Statistics> {
      const mine: Mine = [query.endpoint === undefined ? 1 : 0, query.endpoint ?? '']
      const now = Date.now()
      const { from, bucketSeconds } = spanOf(query, now / 1000)
      const timeOf = (bucket: number) => Math.round((from + bucket * bucketSeconds) * 1000)
      const total = async (state: CountedState) => {
        const found = await new EventCount(connection, { state, order: 'oldest' }, mine).upTo(mostCounted)
        return capped(found.mine, found.seen, mostCounted)
      }
      const oldest = await waitingSince(connection, mine)
      const newest: number[] = []
      for (const state of states) {
        newest.push((await newestOf(connection, mine, state)) ?? 0)
      }
      const lastReceivedAt = Math.max(...newest)
      const quarantined = await countQuarantined(connection, mine, mostCounted)
      const counts = {
        accepted: await total('accepted'),
        failed: await total('failed'),
        dead: await total('dead'),
        quarantined: capped(quarantined.mine, quarantined.seen, mostCounted),
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
        ...(lastReceivedAt > 0 && { lastReceivedAt: new Date(lastReceivedAt).toISOString() }),
        ...(latency && { latency }),
        buckets,
      }
    },
  }
}
