import { describe, expect, test } from 'vitest'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

describe('prune', () => {
  const century = () => new Date(Date.now() + 100 * 365 * 86_400_000)

  async function storeOf(schema: string, ages: readonly number[]) {
    await migratePostgres(rig.pool(), { schema })
    const store = postgresStore({ pool: rig.pool(), schema })
    for (const days of ages) {
      const event = newEvent()
      await store.once(event, async () => {})
      await rig.sql(
        `UPDATE ${schema}.events SET received_at = now() - make_interval(days => $2),
           done_at = now() - make_interval(days => $2), keep_until = keep_until - make_interval(days => $2)
         WHERE key = $1`,
        [event.key, days],
      )
    }
    const left = async () => (await rig.sql(`SELECT count(*)::int AS n FROM ${schema}.events`))[0].n
    return { store, left }
  }

  test('by a caller with a wrong clock deletes no event within its retention', async () => {
    const { store, left } = await storeOf('app_jump', [200, 91, 89, 1, 0])
    expect(await store.prune(century(), 1000)).toBe(2)
    expect(await left()).toBe(3)
  })

  test('uses the given date if it is earlier', async () => {
    const { store, left } = await storeOf('by_date', [200, 120, 91, 0])
    expect(await store.prune(new Date(Date.now() - 150 * 86_400_000), 1000)).toBe(1)
    expect(await left()).toBe(3)
  })

  test('on a server with a wrong clock deletes only what the newest event allows', async () => {
    // Make all events as old as if the clock of this server had jumped by three years.
    const { store, left } = await storeOf('server_jump', [1200, 1185, 1100, 1096, 1095])
    expect(await store.prune(century(), 1000)).toBe(2)
    expect(await left()).toBe(3)
    expect(await store.prune(century(), 1000)).toBe(0)
  })

  test('deletes the oldest first, in steps', async () => {
    const { store } = await storeOf('batches', [300, 290, 280, 270, 260, 0])
    expect([await store.prune(century(), 2), await store.prune(century(), 2)]).toEqual([2, 2])
    const ages = await rig.sql(
      'SELECT extract(day FROM now() - done_at)::int AS age FROM batches.events ORDER BY 1',
    )
    expect(ages).toEqual([{ age: 0 }, { age: 260 }])
    expect([await store.prune(century(), 2), await store.prune(century(), 2)]).toEqual([1, 0])
  })

  test('deletes more than one step holds, and finally locked events', async () => {
    const { store, left } = await storeOf('in_steps', [0])
    await rig.sql(
      `INSERT INTO in_steps.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued,
         received_at, done_at, keep_until)
       SELECT n::text, 'e', n::text, 't', '', '', '', 'done', 1, false, now() - make_interval(days => 1000 - n),
         now() - make_interval(days => 600), now() - make_interval(days => 500)
       FROM generate_series(1, 360) AS n`,
    )
    const holder = await rig.pool().connect()
    await holder.query("BEGIN; SELECT FROM in_steps.events WHERE key = '2' FOR UPDATE")
    expect(await store.prune(century(), 250)).toBe(250)
    await holder.query('COMMIT')
    holder.release()
    expect(await store.prune(century(), 1000)).toBe(110)
    expect(await left()).toBe(1)
  })

  test('leaves flushing to the commits of others', async () => {
    await storeOf('flushed', [300, 290, 0])
    const pool = rig.pool({ max: 1 })
    expect(await postgresStore({ pool, schema: 'flushed' }).prune(century(), 10)).toBe(2)
    expect((await pool.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }])
  })
})
