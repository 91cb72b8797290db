import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Statistics, StatisticsStore } from '../../src/store/statistics-store.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

const rig = postgresRig()
afterAll(removeFiles)

/** An event as an operator expects it in the statistics. Times in seconds before now. */
interface Row {
  readonly state: 'accepted' | 'failed' | 'done' | 'dead'
  readonly received: number
  readonly took?: number
  readonly endpoint?: string
  readonly parent?: string
  readonly delivered?: number
  readonly replayed?: number
}

/** Others wait longer than any of `mine`: more than are counted. They came a millisecond apart. */
interface Crowd {
  readonly state: Row['state']
  readonly count: number
  readonly received: number
}

type On = (now: number, rows: readonly Row[], crowd?: Crowd) => Promise<StatisticsStore>

const columns = (now: number, row: Row) => {
  const { state, received, took, endpoint = 'mine', parent = null, delivered, replayed } = row
  const at = now - received * 1000
  return {
    key: randomUUID(),
    ...{ state, endpoint, parent, generation: replayed === undefined ? 0 : 1, received: at },
    done: took === undefined ? null : at + took * 1000,
    delivered: delivered === undefined ? null : now - delivered * 1000,
    replayed: replayed === undefined ? null : now - replayed * 1000,
  }
}

const stores: Record<string, On> = {
  async SQLite(now, rows, crowd) {
    const database = open(newFile())
    const store = sqliteStore(database)
    await store.check()
    const insert = database.prepare(
      `INSERT INTO webhook_inbox_events (state, queued, due_at, id, type, created_at, content_hash, body, key, endpoint, parent,
        generation, received_at, done_at, delivered_at) SELECT ?, 1, 0, 'id', 'a', '', '', x'', ? || n, ?, ?, ?, ? + n - 1, ?, ?
        FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?) SELECT n FROM numbers)`,
    )
    const replay = database.prepare(
      "INSERT INTO webhook_inbox_replays (key, generation, reason, actor, replayed_at) VALUES (? || 1, 1, '', '', ?)",
    )
    for (const each of rows.map((row) => columns(now, row))) {
      const { key, state, endpoint, parent, generation, received, done, delivered, replayed } = each
      insert.run(state, key, endpoint, parent, generation, received, done, delivered, 1)
      replayed === null || replay.run(key, replayed)
    }
    if (crowd) {
      insert.run(crowd.state, 'crowd', 'other', null, 0, now - crowd.received * 1000, null, null, crowd.count)
    }
    return store.inbox.statistics as StatisticsStore
  },

  async Postgres(now, rows, crowd) {
    const schema = `s${randomUUID().slice(0, 8)}`
    await migratePostgres(rig.pool(), { schema })
    const at = (column: string) => `to_timestamp(${column} / 1000.0)`
    await rig.sql(
      `WITH r AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (key text, state text, endpoint text, parent text, generation int,
         received float8, done float8, delivered float8, replayed float8)
       ), added AS (
         INSERT INTO ${schema}.events (attempt, queued, id, type, created_at, content_hash, body, key, state, endpoint, parent,
           generation, received_at, done_at, delivered_at)
         SELECT 0, true, 'id', 'a', '', '', '', key, state, endpoint, parent, generation, ${at('received')}, ${at('done')},
           ${at('delivered')} FROM r)
       INSERT INTO ${schema}.replays (key, generation, reason, actor, at)
       SELECT key, 1, '', '', ${at('replayed')} FROM r WHERE replayed IS NOT NULL`,
      [JSON.stringify(rows.map((row) => columns(now, row)))],
    )
    if (crowd) {
      await rig.sql(
        `INSERT INTO ${schema}.events (attempt, queued, id, type, created_at, content_hash, body, key, state, endpoint, received_at)
         SELECT 0, true, 'id', 'a', '', '', '', 'crowd' || n, $1, 'other', ${at('($2::float8 + n)')} FROM generate_series(1, $3::int) AS n`,
        [crowd.state, now - crowd.received * 1000, crowd.count],
      )
    }
    return postgresStore({ pool: rig.pool(), schema }).inbox.statistics as StatisticsStore
  },
}

const minutes = 60
const read = (statistics: StatisticsStore, now: number) =>
  statistics.read({ endpoint: 'mine', since: new Date(now - 40 * minutes * 1000), buckets: 4 })

/** What each bucket shows, without the time. */
const shown = ({ buckets }: Statistics) =>
  buckets.map(({ received, done, dead, latency }) => ({ received, done, dead, took: latency?.p50 }))

const count = (count: number, isCapped = false) => ({ count, isCapped })

describe.each(Object.entries(stores))('statistics on %s', (_, on) => {
  test('tell what arrived in each interval, what became of it, and how long it took', async () => {
    const now = Date.now()
    const statistics = await on(now, [
      { state: 'done', received: 41 * minutes, took: 100 },
      { state: 'done', received: 35 * minutes, took: 10 },
      { state: 'done', received: 35 * minutes, took: 10 },
      { state: 'dead', received: 34 * minutes },
      { state: 'done', received: 34 * minutes, took: 500, endpoint: 'other' },
      { state: 'accepted', received: 25 * minutes },
      { state: 'failed', received: 24 * minutes },
      { state: 'done', received: 23 * minutes, took: 3 },
      { state: 'done', received: 22 * minutes, took: 900, replayed: 8 * minutes },
      { state: 'accepted', received: 21 * minutes, endpoint: 'other' },
      { state: 'dead', received: 5 * minutes },
      { state: 'dead', received: 4 * minutes },
    ])
    const found = await read(statistics, now)
    expect(shown(found)).toEqual([
      { received: 3, done: 2, dead: 1, took: 10 },
      { received: 4, done: 2, dead: 0, took: 3 },
      { received: 0, done: 0, dead: 0, took: undefined },
      { received: 2, done: 0, dead: 2, took: undefined },
    ])
    expect(found).toMatchObject({
      accepted: count(1),
      failed: count(1),
      dead: count(3),
      quarantined: count(0),
      since: new Date(now - 40 * minutes * 1000).toISOString(),
      lastReceivedAt: new Date(now - 4 * minutes * 1000).toISOString(),
    })
    expect(found.latency).toMatchObject({ p99: 10 })
    expect(found.buckets.every(({ isCapped }) => !isCapped)).toBe(true)
    expect(Math.round(found.bucketSeconds / minutes)).toBe(10)
    expect(Math.round(found.oldestWaitingSeconds / minutes)).toBe(25)
    const everything = await statistics.read({
      allEndpoints: true,
      since: new Date(now - 40 * minutes * 1000),
      buckets: 4,
    })
    expect(shown(everything).map(({ received }) => received)).toEqual([4, 5, 0, 2])
    expect(everything.accepted).toEqual(count(2))
    expect(everything.latency).toMatchObject({ p99: 500 })
  })

  test('of an endpoint without events are empty', async () => {
    const now = Date.now()
    const statistics = await on(now, [{ state: 'failed', received: minutes, endpoint: 'other' }])
    const found = await read(statistics, now)
    expect(shown(found)).toEqual(Array(4).fill({ received: 0, done: 0, dead: 0, took: undefined }))
    expect(found).toMatchObject({
      accepted: count(0),
      failed: count(0),
      dead: count(0),
      oldestWaitingSeconds: 0,
    })
    expect(found.lastReceivedAt).toBeUndefined()
    expect(found.latency).toBeUndefined()
  })

  test.each<[string, Row[], number]>([
    [
      'a replayed event waits since its replay',
      [{ state: 'accepted', received: 60 * minutes, replayed: 7 * minutes }],
      7,
    ],
    [
      'a failed event may have waited longest',
      [
        { state: 'accepted', received: 5 * minutes },
        { state: 'failed', received: 9 * minutes },
      ],
      9,
    ],
    [
      'an event behind replayed ones may have waited longest',
      [
        { state: 'failed', received: 60 * minutes, replayed: 2 * minutes },
        { state: 'failed', received: 50 * minutes, replayed: 3 * minutes },
        { state: 'failed', received: 11 * minutes },
      ],
      11,
    ],
    ['a done event does not wait', [{ state: 'done', received: 60 * minutes, took: 1 }], 0],
  ])('%s', async (_name, rows, waited) => {
    const now = Date.now()
    const found = await read(await on(now, rows), now)
    expect(Math.round(found.oldestWaitingSeconds / minutes)).toBe(waited)
  })

  test.each<[string, Row[], number | undefined]>([
    [
      'is that of any state',
      [
        { state: 'dead', received: 3 * minutes },
        { state: 'done', received: 4 * minutes, took: 1 },
      ],
      3,
    ],
    [
      'is not that of an edited copy',
      [
        { state: 'accepted', received: 3 * minutes, parent: 'evt_1' },
        { state: 'accepted', received: 6 * minutes },
      ],
      6,
    ],
    [
      'of a released event is that of its delivery',
      [
        { state: 'done', received: 3 * minutes, took: 1, delivered: 8 * minutes },
        { state: 'done', received: 9 * minutes, took: 1 },
      ],
      8,
    ],
    [
      'of copies only does not exist',
      [{ state: 'done', received: 3 * minutes, took: 1, parent: 'evt_1' }],
      undefined,
    ],
  ])('the last arrival %s', async (_name, rows, minutesAgo) => {
    const now = Date.now()
    const { lastReceivedAt } = await read(await on(now, rows), now)
    expect(lastReceivedAt && Math.round((now - Date.parse(lastReceivedAt)) / 60_000)).toBe(minutesAgo)
  })

  test.each([10_000, 10_001])(
    'a count ends after %i events, and says whether there are more',
    async (many) => {
      const now = Date.now()
      const crowd = { state: 'failed', count: many - 1, received: 35 * minutes } as const
      const rows: Row[] = [
        { state: 'failed', received: 36 * minutes },
        { state: 'dead', received: 3 * minutes },
      ]
      const found = await read(await on(now, rows, crowd), now)
      expect(found.failed).toEqual(count(1, many > 10_000))
      expect(found.dead).toEqual(count(1))
      expect(found.buckets.map(({ isCapped }) => isCapped)).toEqual([many > 10_000, false, false, false])
    },
  )

  test('the last arrival is found among the newest events, however many are older', async () => {
    const now = Date.now()
    const crowd = { state: 'done', count: 10_100, received: 30 * minutes } as const
    const rows: Row[] = [{ state: 'done', received: 3 * minutes, took: 1 }]
    const { lastReceivedAt } = await read(await on(now, rows, crowd), now)
    expect(lastReceivedAt && Math.round((now - Date.parse(lastReceivedAt)) / 60_000)).toBe(3)
  })
})
