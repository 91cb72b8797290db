import { limitsOf, mostInBucket, spread } from '../../../store/buckets.js'
import { latencyOf, mostTimed, type StatisticsBucket, type Timed } from '../../../store/statistics-store.js'
import type { Connection } from '../connection/connection.js'
import type { SqliteDatabase, SqliteValue } from '../connection/sqlite-database.js'
import { partOf } from './event-parts.js'
import { type Counted, EventCount, isMine, type Mine } from './sqlite-counted.js'

/** Of received times in milliseconds: from the first until before the second. */
export type Bounds = readonly [starts: number, ends: number]

const states = ['accepted', 'failed', 'done', 'dead'] as const

const chosen = `
  SELECT seq, ${spread('seq')} AS rank FROM ${partOf('done', 'seq, endpoint')} WHERE ${isMine} AND rank < ?
  ORDER BY rank LIMIT ${mostTimed}`

const timed = `
  SELECT done_at - received_at AS elapsed, generation FROM json_each(?) AS chosen
  CROSS JOIN webhook_inbox_events ON seq = chosen.value WHERE state = 'done'`

/** How many rows one statement reads. A row costs more than an entry of an index. */
const mostRows = 25

/** What arrived within each of `bounds`. Each statement reads a small part of an index, and runs by itself. */
export async function readBuckets<Database extends SqliteDatabase>(
  connection: Connection<Database>,
  mine: Mine,
  bounds: readonly Bounds[],
): Promise<{ buckets: StatisticsBucket[]; samples: Timed[] }> {
  const open = bounds.map((each) => new Bucket(connection, mine, each))
  const seen: number[] = []
  for (const bucket of open) {
    seen.push(mostSeen(await bucket.count(mostInBucket)))
  }
  const limits = limitsOf(seen)
  const buckets: StatisticsBucket[] = []
  const samples: Timed[] = []
  for (const [i, bucket] of open.entries()) {
    const limit = limits[i] as number
    const counts = await bucket.count(limit)
    const sample = await bucket.sample(counts)
    samples.push(sample)
    buckets.push(bucketOf(bounds[i] as Bounds, counts, { sample, isCapped: mostSeen(counts) > limit }))
  }
  return { buckets, samples }
}

/** The events of one bucket. It counts them, and chooses done ones for the latency. */
class Bucket<Database extends SqliteDatabase> {
  readonly #connection: Connection<Database>
  readonly #counts: readonly EventCount<Database>[]
  #chosen: { readonly seq: number; readonly rank: number }[] = []

  constructor(connection: Connection<Database>, mine: Mine, [starts, ends]: Bounds) {
    this.#connection = connection
    const choose = (values: readonly SqliteValue[]) => {
      // Rows are expensive, and most of a later part rank behind all that are chosen already.
      const last = this.#chosen[mostTimed - 1]?.rank ?? Number.MAX_SAFE_INTEGER
      const found = connection.all<{ seq: number; rank: number }>(chosen, ...values, ...mine, Number(last))
      this.#chosen = [...this.#chosen, ...found]
        .sort((a, b) => Number(a.rank) - Number(b.rank))
        .slice(0, mostTimed)
    }
    this.#counts = states.map((state) => {
      const range = { state, starts, ends, order: 'newest' } as const
      return new EventCount(connection, range, mine, state === 'done' ? choose : undefined)
    })
  }

  async count(limit: number): Promise<Counted[]> {
    const found: Counted[] = []
    for (const each of this.#counts) {
      found.push(await each.upTo(limit))
    }
    return found
  }

  /** How long done events took, chosen evenly among those counted. */
  async sample([, , done]: readonly Counted[]): Promise<Timed> {
    const rows: { elapsed: number; generation: number }[] = []
    for (let i = 0; i < this.#chosen.length; i += mostRows) {
      const numbers = JSON.stringify(this.#chosen.slice(i, i + mostRows).map(({ seq }) => Number(seq)))
      const read = () => this.#connection.all<{ elapsed: number; generation: number }>(timed, numbers)
      rows.push(...(await this.#connection.readInTurn('read latencies', read)))
    }
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
