import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Sources } from '../../src/store/sources.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)
const rig = postgresRig()

/** Events of a type, all within `overHours` before the last one. */
interface Sent {
  readonly endpoint: string
  readonly type: string
  readonly count: number
  readonly lastHoursAgo: number
  readonly overHours?: number
  readonly state?: 'accepted' | 'failed' | 'done' | 'dead'
}

type Row = readonly [endpoint: string, type: string, state: string, secondsAgo: number]

const rowsOf = ({ endpoint, type, count, lastHoursAgo, overHours = 20, state = 'done' }: Sent): Row[] =>
  Array.from({ length: count }, (_, i) => [
    endpoint,
    type,
    state,
    Math.round((lastHoursAgo + (i * overHours) / count) * 3600),
  ])

const stores: Record<
  string,
  (rows: readonly Row[], read: (store: Reading) => Promise<void>) => Promise<void>
> = {
  async SQLite(rows, read) {
    const path = newFile()
    const store = sqliteStore(path)
    await store.check()
    const database = open(path)
    const insert = database.prepare(
      `INSERT INTO webhook_inbox_events (state, queued, key, received_at, due_at, endpoint, id, type, created_at,
         content_hash, body) VALUES (?, 1, ?, ?, 0, ?, 'id', ?, '', 'hash', x'00')`,
    )
    database.exec('BEGIN')
    for (const [endpoint, type, state, secondsAgo] of rows) {
      insert.run(state, randomUUID(), Date.now() - secondsAgo * 1000, endpoint, type)
    }
    database.exec('COMMIT')
    database.close()
    await read(store.inbox)
    await store.close()
  },
  async Postgres(rows, read) {
    await rig.sql(
      `INSERT INTO webhook_inbox.events (endpoint, type, state, received_at, key, id, created_at, content_hash, body, attempt,
         queued)
       SELECT e, t, s, now() - make_interval(secs => ago), gen_random_uuid()::text, 'id', '', '', '', 0, true
       FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[]) AS r (e, t, s, ago)`,
      [0, 1, 2, 3].map((column) => rows.map((row) => row[column])),
    )
    await read(postgresStore({ pool: rig.pool() }).inbox)
  },
}

interface Reading {
  readonly statistics?: { sources(endpoint: string): Promise<Sources> }
}

const silent = ({ sources }: Sources) =>
  sources.filter(({ isSilent }) => isSilent).map(({ type }) => type ?? 'the endpoint')

describe.each(Object.entries(stores))('sources on %s', (_, on) => {
  test('are silent where more than twenty events are missing by the rhythm of their last day', async () => {
    const endpoint = randomUUID()
    const sent: Sent[] = [
      { endpoint, type: 'usual', count: 30, lastHoursAgo: 0.1 },
      { endpoint, type: 'stopped', count: 30, lastHoursAgo: 20 },
      { endpoint, type: 'never succeeded', count: 30, lastHoursAgo: 20, state: 'dead' },
      { endpoint, type: 'seldom', count: 10, lastHoursAgo: 20 },
      // A day of silence, but the thirty events came over six days.
      { endpoint, type: 'slow', count: 30, lastHoursAgo: 24, overHours: 140 },
      { endpoint, type: 'often, and stopped a moment ago', count: 600, lastHoursAgo: 0.9 },
      { endpoint, type: 'often', count: 600, lastHoursAgo: 1.1 },
      { endpoint, type: 'paused', count: 30, lastHoursAgo: 20 },
      { endpoint, type: 'paused', count: 1, lastHoursAgo: 0.5, state: 'accepted' },
      { endpoint, type: 'behind many', count: 30, lastHoursAgo: 20 },
      { endpoint, type: 'behind many', count: 51, lastHoursAgo: 20, state: 'failed' },
      { endpoint, type: 'retired', count: 30, lastHoursAgo: 24 * 8 },
      { endpoint: `${endpoint} 2`, type: 'of another endpoint', count: 30, lastHoursAgo: 20 },
    ]
    await on(sent.flatMap(rowsOf), async ({ statistics }) => {
      const found = (await statistics?.sources(endpoint)) as Sources
      expect(silent(found)).toEqual(['never succeeded', 'often', 'stopped'])
      const of = (name: string) => found.sources.find(({ type }) => type === name)
      expect(of('stopped')?.inLastDay).toEqual({ count: 30, isCapped: false })
      expect(of('often')?.inLastDay).toEqual({ count: 480, isCapped: true })
      const age = Date.now() - Date.parse(of('paused')?.lastReceivedAt ?? '')
      expect(Math.round(age / 360_000)).toBe(5)
      expect(of('retired')).toBeUndefined()
      expect(of('of another endpoint')).toBeUndefined()
      expect(found.sources.map(({ type }) => type)).toEqual([
        undefined,
        ...found.sources.flatMap(({ type }) => type ?? []).toSorted(),
      ])
    })
  })

  test('name a type of which no event has ended', async () => {
    const endpoint = randomUUID()
    const sent: Sent[] = [
      { endpoint, type: 'b', count: 3, lastHoursAgo: 1, state: 'failed' },
      { endpoint, type: 'a', count: 3, lastHoursAgo: 2, state: 'accepted' },
      { endpoint, type: 'c', count: 3, lastHoursAgo: 2 },
      { endpoint, type: 'B', count: 3, lastHoursAgo: 2, state: 'failed' },
      { endpoint: `${endpoint} 2`, type: 'd', count: 1, lastHoursAgo: 1, state: 'failed' },
    ]
    await on(sent.flatMap(rowsOf), async ({ statistics }) => {
      const found = (await statistics?.sources(endpoint)) as Sources
      expect(found.sources.map(({ type, inLastDay }) => [type, inLastDay.count])).toEqual([
        [undefined, 3],
        ['B', 0],
        ['a', 0],
        ['b', 0],
        ['c', 3],
      ])
    })
  })

  test('are silent together where each type alone comes too seldom to tell', async () => {
    const endpoint = randomUUID()
    const types = Array.from({ length: 20 }, (_, i) => `type ${i}`)
    const sent = types.map((type) => ({ endpoint, type, count: 30, lastHoursAgo: 2 }))
    // One that stopped earlier does not count into the last day of the endpoint.
    const earlier = { endpoint, type: 'earlier', count: 600, lastHoursAgo: 27 }
    await on([...sent, earlier].flatMap(rowsOf), async ({ statistics }) => {
      const found = (await statistics?.sources(endpoint)) as Sources
      expect(silent(found)).toEqual(['the endpoint', 'earlier'])
    })
    const few = sent.slice(0, 5).map((each) => ({ ...each, endpoint: `${endpoint} 2` }))
    await on([...few, { ...earlier, endpoint: `${endpoint} 2` }].flatMap(rowsOf), async ({ statistics }) => {
      const found = (await statistics?.sources(`${endpoint} 2`)) as Sources
      expect(silent(found)).toEqual(['earlier'])
    })
  })

  test('stop at a number of types, and then say nothing of the endpoint', async () => {
    const endpoint = randomUUID()
    const types = Array.from({ length: 502 }, (_, i) => `type ${String(i).padStart(3, '0')}`)
    const sent = types.map((type) => ({ endpoint, type, count: 2, lastHoursAgo: 2 }))
    await on(sent.flatMap(rowsOf), async ({ statistics }) => {
      const found = (await statistics?.sources(endpoint)) as Sources
      expect(found.isCapped).toBe(true)
      expect(found.sources).toHaveLength(501)
      expect(found.sources[0]?.isSilent).toBe(false)
    })
  })
})
