import { afterAll, describe, expect, test, vi } from 'vitest'
import { dueAmongOldest, dueByType } from '../../src/stores/postgres/events/due.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { Connection } from '../../src/stores/sqlite/connection/connection.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

afterAll(removeFiles)

const audit = { reason: 'test', actor: 'test' }

/** The first events are of the paused type. Each other one has a type of its own. */
const typeOf = (paused: number) => `CASE WHEN n <= ${paused} THEN 'm' ELSE 't' || n END`

describe('where a type is paused, a search costs the same', () => {
  const rig = postgresRig()

  test('for any number of other types, on SQLite', async () => {
    const asked: number[] = []
    for (const types of [200, 4000]) {
      const database = open(newFile())
      const store = sqliteStore(database)
      await store.check()
      database
        .prepare(
          `INSERT INTO webhook_inbox_events (key, state, queued, received_at, due_at, endpoint, id, type, created_at,
             content_hash, body)
           WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${types})
           SELECT 'key ' || n, 'accepted', 1, n, n, 'many', 'evt_' || n, ${typeOf(1)}, '', '', x'' FROM numbers`,
        )
        .run()
      await store.inbox.flow?.pause({ endpoint: 'many', type: 'm' }, audit)
      const all = vi.spyOn(Connection.prototype, 'all')
      const found = await store.inbox.due(10, 'many')
      asked.push(all.mock.calls.length)
      all.mockRestore()
      expect(found.map(({ type }) => type)).toEqual(Array.from({ length: 10 }, (_, i) => `t${i + 2}`))
      await store.close()
    }
    expect(asked[1]).toBe(asked[0])
  })

  test('and Postgres compiles no plan for it, which takes seconds in a large inbox', async () => {
    const pool = rig.pool()
    const asked: string[] = []
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      client.query = ((given: string | { text: string }, ...rest: unknown[]) => {
        asked.push(typeof given === 'string' ? given : given.text)
        return query(given, ...rest)
      }) as never
    })
    const store = postgresStore({ pool, pipelining: false })
    await store.inbox.flow?.pause({ endpoint: 'compiled', type: 'm' }, audit)
    asked.length = 0
    await store.inbox.due(10, 'compiled')
    await store.close()
    const search = asked.findIndex((text) => text.includes('accepted_lanes'))
    const off = asked.findIndex((text) => text.includes("set_config('jit', 'off', true)"))
    expect(search).toBeGreaterThan(off)
    expect(off).toBeGreaterThan(-1)
  })

  test.each([
    ['for any number of other types', 1, 200, 4000],
    ['for any number of older events of the paused type', 0.95, 10_000, 40_000],
  ])('%s, on Postgres', async (_, share, few, many) => {
    const blocks: number[] = []
    for (const events of [few, many]) {
      await rig.sql('TRUNCATE webhook_inbox.events, webhook_inbox.pauses')
      const paused = share === 1 ? 1 : events - 500
      await rig.sql(
        `INSERT INTO webhook_inbox.events
           (key, state, queued, attempt, due_at, endpoint, id, type, created_at, content_hash, body)
         SELECT 'key ' || n, 'accepted', true, 0, now() - make_interval(secs => ${many} - n), 'many', 'evt_' || n,
           ${typeOf(paused)}, '', '', '' FROM generate_series(1, ${events}) AS n`,
      )
      await rig.sql('ANALYZE webhook_inbox.events')
      const store = rig.store()
      await store.inbox.flow?.pause({ endpoint: 'many', type: 'm' }, audit)
      expect(await store.inbox.due(10, 'many')).toHaveLength(10)
      await store.close()
      let total = 0
      for (const sql of [dueByType('webhook_inbox', { isNamed: false }), dueAmongOldest('webhook_inbox')]) {
        const values = [10, 'many', null, [], [], '', '']
        const [row] = await rig.sql(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values)
        const plan = row['QUERY PLAN'][0].Plan
        total += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      }
      blocks.push(total)
    }
    expect((blocks[1] as number) / (blocks[0] as number), String(blocks)).toBeLessThan(3)
  })
})
