import { limitsOf, mostInBucket, spread } from '../../../store/buckets.js'
import { latencyOf, mostTimed, type StatisticsBucket, type Timed } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase } from '../connection/sqlite-database.js'
import { type Counted, count, isMine, type Mine } from './sqlite-counted.js'

/** Of received times in milliseconds: from the first until before the second. */
export type Bounds = readonly [starts: number, ends: number]

const states = ['accepted', 'failed', 'done', 'dead'] as const

const inBucket = (state: string) =>
  `webhook_inbox_events WHERE state = '${state}' AND received_at >= ? AND received_at < ?`

const timed = `
  WITH chosen AS MATERIALIZED (
    SELECT seq FROM (SELECT seq, endpoint FROM ${inBucket('done')} ORDER BY received_at DESC LIMIT ?)
    WHERE ${isMine} ORDER BY ${spread('seq')} LIMIT ${mostTimed})
  SELECT done_at - received_at AS elapsed, generation FROM chosen CROSS JOIN webhook_inbox_events USING (seq)`

/** What arrived within each of `bounds`. Each statement reads a limited part of an index, and runs by itself. */
export async function readBuckets<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: Mine,
  bounds: readonly Bounds[],
): Promise<{ buckets: StatisticsBucket[]; samples: Timed[] }> {
  const inTurn = <Value>(read: () => Value) => connection.readInTurn('count events', read)
  const countEach = (values: Bounds, limit: number) =>
    states.map((state) => count(connection, inBucket(state), { mine, values, limit }))

  const first: Counted[][] = []
  for (const each of bounds) {
    first.push(await inTurn(() => countEach(each, mostInBucket)))
  }
  const limits = limitsOf(first.map(mostSeen))
  const buckets: StatisticsBucket[] = []
  const samples: Timed[] = []
  for (const [i, each] of bounds.entries()) {
    const limit = limits[i] as number
    const isCounted = limit === mostInBucket
    const counts = isCounted ? (first[i] as Counted[]) : await inTurn(() => countEach(each, limit))
    const sample = await inTurn(() => sampleOf(each, limit, counts))
    samples.push(sample)
    buckets.push(bucketOf(each, counts, { sample, isCapped: mostSeen(counts) > limit }))
  }
  return { buckets, samples }

  function sampleOf(values: Bounds, limit: number, [, , done]: readonly Counted[]): Timed {
    const rows = connection.all<{ elapsed: number; generation: number }>(timed, ...values, limit, ...mine)
    const once = rows.filter(({ generation }) => Number(generation) === 0)
    return {
      seconds: once.map(({ elapsed }) => Number(elapsed) / 1000),
      events: ((done?.mine ?? 0) * once.length) / Math.max(1, rows.length),
    }
  }
}

/** How many of its busiest state were seen. */
const mostSeen = (counts: readonly Counted[]) => Math.max(...counts.map(({ seen }) => seen))

function bucketOf(
  [starts]: Bounds,
  counts: readonly Counted[],
  { sample, isCapped }: { sample: Timed; isCapped: boolean },
): StatisticsBucket {
  const latency = latencyOf([sample])
  const [, , done, dead] = counts.map((each) => each.mine)
  return {
    startsAt: new Date(starts).toISOString(),
    received: counts.reduce((sum, each) => sum + each.mine, 0),
    done: done ?? 0,
    dead: dead ?? 0,
    ...(latency && { latency }),
    isCapped,
  }
}
