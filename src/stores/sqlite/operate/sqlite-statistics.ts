import { capped } from '../../../store/capped-count.js'
import {
  latencyOf,
  mostCounted,
  mostInBucket,
  mostReadToTime,
  mostTimed,
  type Statistics,
  type StatisticsBucket,
  type StatisticsStore,
  type Timed,
} from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { waitingSince } from './sqlite-oldest.js'
import { sqliteSources } from './sqlite-sources.js'

interface Counted {
  readonly mine: number
  readonly seen: number
}

// Not a null for every endpoint: libsql takes a null that is the only value for an object of named ones. And no `?1`:
// better-sqlite3 takes that for a name.
const isMine = '(? OR endpoint = ?)'
const events = 'webhook_inbox_events'

const counted = (from: string, limit: number) => `
  SELECT count(*) AS seen, count(CASE WHEN ${isMine} THEN 1 END) AS mine
  FROM (SELECT endpoint FROM ${from} LIMIT ${limit + 1})`

const inBucket = (state: string) =>
  `${events} WHERE state = '${state}' AND received_at >= ? AND received_at < ?`

const newestAmong = (state: string, limit: number) => `
  SELECT received_at FROM (SELECT received_at, endpoint, parent FROM ${events} WHERE state = '${state}'
    ORDER BY received_at DESC LIMIT ${limit})
  WHERE ${isMine} AND parent IS NULL ORDER BY received_at DESC LIMIT 1`

/** `share`: how many of the events that were read are not replayed. */
const timed = `
  WITH newest AS MATERIALIZED (
    SELECT done_at - received_at AS elapsed, generation, count(*) OVER () AS n FROM (
      SELECT received_at, done_at, endpoint, generation
      FROM ${inBucket('done')} ORDER BY received_at DESC LIMIT ${mostReadToTime}) WHERE ${isMine})
  SELECT elapsed, count(*) OVER () * 1.0 / n AS share FROM newest WHERE generation = 0 LIMIT ${mostTimed}`

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

    async read({ endpoint, since, buckets: howMany }): Promise<Statistics> {
      const mine = [endpoint === undefined ? 1 : 0, endpoint ?? ''] as const
      const now = Date.now()
      const from = Math.min(since.getTime(), now - 1000)
      const span = (now - from) / howMany
      const total = (from: string) => {
        const [found] = connection.all<Counted>(counted(from, mostCounted), ...mine)
        return capped(Number(found?.mine), Number(found?.seen), mostCounted)
      }
      const newestOf = (state: string): number | undefined => {
        for (const limit of [mostReadFirst, mostCounted]) {
          const [row] = connection.all<{ received_at: number }>(newestAmong(state, limit), ...mine)
          if (row) {
            return Number(row.received_at)
          }
        }
        return undefined
      }
      const oldest = await waitingSince(connection, mine)
      const newest = await inTurn(() => states.map(newestOf).filter((time) => time !== undefined))
      const counts = {
        accepted: await inTurn(() => total(`${events} WHERE state = 'accepted'`)),
        failed: await inTurn(() => total(`${events} WHERE state = 'failed'`)),
        dead: await inTurn(() => total(`${events} WHERE state = 'dead'`)),
        quarantined: await inTurn(() => total('webhook_inbox_quarantine')),
      }
      const buckets: StatisticsBucket[] = []
      const samples: Timed[] = []
      for (let i = 0; i < howMany; i++) {
        // What arrived in this millisecond belongs to the last bucket.
        const ends = i === howMany - 1 ? now + 1 : Math.floor(from + (i + 1) * span)
        const bounds = [Math.floor(from + i * span), ends] as const
        const read = await inTurn(() => readBucket(mine, bounds))
        samples.push(read.timed)
        buckets.push(read.bucket)
      }
      const latency = latencyOf(samples)
      return {
        at: new Date(now).toISOString(),
        since: new Date(from).toISOString(),
        bucketSeconds: span / 1000,
        ...counts,
        oldestWaitingSeconds: oldest === undefined ? 0 : Math.max(0, (now - oldest) / 1000),
        ...(newest.length > 0 && { lastReceivedAt: new Date(Math.max(...newest)).toISOString() }),
        ...(latency && { latency }),
        buckets,
      }
    },
  }

  function readBucket(mine: readonly [number, string], [starts, ends]: readonly [number, number]) {
    const read = (state: string): Counted => {
      const [row] = connection.all<Counted>(counted(inBucket(state), mostInBucket), ...mine, starts, ends)
      return { mine: Math.min(Number(row?.mine), mostInBucket), seen: Number(row?.seen) }
    }
    const [accepted, failed, done, dead] = states.map(read) as [Counted, Counted, Counted, Counted]
    const all = [accepted, failed, done, dead]
    const rows = connection.all<{ elapsed: number; share: number }>(timed, starts, ends, ...mine)
    const sample: Timed = {
      seconds: rows.map(({ elapsed }) => Number(elapsed) / 1000),
      events: done.mine * (rows[0]?.share ?? 0),
    }
    const latency = latencyOf([sample])
    const bucket: StatisticsBucket = {
      startsAt: new Date(starts).toISOString(),
      received: all.reduce((sum, { mine }) => sum + mine, 0),
      done: done.mine,
      dead: dead.mine,
      ...(latency && { latency }),
      isCapped: all.some(({ seen }) => seen > mostInBucket),
    }
    return { bucket, timed: sample }
  }
}
