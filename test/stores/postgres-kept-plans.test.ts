import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { EventRef } from '../../src/store/event-ref.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** A worker with one connection, on tables of its own. */
async function worker(schema: string) {
  const pool = rig.pool({ max: 1, idleTimeoutMillis: 0 })
  await migratePostgres(pool, { schema })
  await pool.query(`ALTER TABLE ${schema}.events SET (autovacuum_enabled = off)`)
  const { inbox, once } = postgresStore({ pool, schema })

  async function claimed() {
    const { rows } = await pool.query(
      `SELECT name, prepare_time::text AS prepared_at FROM pg_prepared_statements
        WHERE name LIKE 'webhook_inbox_%' AND statement LIKE '%UPDATE%'`,
    )
    expect(rows).toHaveLength(1)
    return rows[0] as { name: string; prepared_at: string }
  }

  return {
    async runs(over: Partial<EventRef>, count: number) {
      for (let at = 0; at < count; at++) {
        const event = newEvent({}, over)
        await inbox.accept(event)
        const outcome = await once(
          { ...event, isKept: true, seen: { attempt: 0, generation: 0, failures: 0 } },
          async () => {},
        )
        expect(outcome).toMatchObject({ state: 'done', attempt: 1 })
      }
    },
    async preparedAt() {
      return (await claimed()).prepared_at
    },
    async plan() {
      const { name } = await claimed()
      const { rows } = await pool.query(`EXPLAIN EXECUTE ${name}('key', 'hash', 1, '500', NULL, NULL, NULL)`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    },
    async grow(rows: number) {
      await pool.query(
        `INSERT INTO ${schema}.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued)
        SELECT 'k' || i, 'default', 'k' || i, 'a.b', 'now', 'h', 'body', 'done', 1, true FROM generate_series(1, $1::int) AS i`,
        [rows],
      )
    },
    analyze: () => pool.query(`ANALYZE ${schema}.events`),
  }
}

describe.each([
  ['without a resource', 'alone', {}],
  ['of a resource', 'ordered', { resource: 'tr_1' }],
])('the claim of an event %s', (_, schema, over) => {
  test('keeps its plan for a moment, because making it takes longer than using it', async () => {
    const { runs, preparedAt } = await worker(`kept_${schema}`)
    await runs(over, 1)
    await expect
      .poll(async () => {
        const before = await preparedAt()
        await runs(over, 5)
        return before === (await preparedAt())
      })
      .toBe(true)
  })

  test('does not keep the plan that was made for a small table', async () => {
    const { runs, plan, grow, analyze } = await worker(`grown_${schema}`)
    await runs(over, 2)
    await analyze()
    await runs(over, 10)
    // Postgres reads a table of one page as a whole.
    expect(await plan()).toContain('Seq Scan')
    await grow(5000)
    await sleep(1100)
    await runs(over, 1)
    expect(await plan()).toContain('Index Scan using events_pkey')
  })
})

describe('the search for due events', () => {
  async function searcher(schema: string) {
    const pool = rig.pool({ max: 1, idleTimeoutMillis: 0 })
    await migratePostgres(pool, { schema })
    await pool.query(`ALTER TABLE ${schema}.events SET (autovacuum_enabled = off)`)
    const { inbox } = postgresStore({ pool, schema })
    return { pool, inbox }
  }

  const kept = `SELECT name, prepare_time::text AS prepared_at, generic_plans::int AS generic, custom_plans::int AS custom
    FROM pg_prepared_statements WHERE statement LIKE '%is_held%'`

  test.each([['default'], [undefined]])(
    'makes one plan and uses it for a moment (endpoint %s)',
    async (endpoint) => {
      const { pool, inbox } = await searcher(`search_${endpoint}`)
      const event = newEvent()
      await inbox.accept(event)
      await expect
        .poll(async () => {
          for (let at = 0; at < 8; at++) {
            expect(await inbox.due(20, endpoint)).toMatchObject([{ key: event.key }])
          }
          const { rows } = await pool.query(kept)
          expect(rows).toHaveLength(1)
          expect(rows[0].custom).toBe(0)
          return rows[0].generic
        })
        .toBeGreaterThan(5)
    },
  )

  test('reads an index in its order when there are many events', async () => {
    const schema = 'search_grown'
    const { pool, inbox } = await searcher(schema)
    await inbox.due(20, 'default')
    await pool.query(
      `INSERT INTO ${schema}.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at)
       SELECT 'k' || i, 'default', 'k' || i, 'a.b', 'now', 'h', 'body', 'accepted', 0, true, now() FROM generate_series(1, 20000) AS i`,
    )
    await pool.query(`ANALYZE ${schema}.events`)
    await sleep(1100)
    expect(await inbox.due(20, 'default')).toHaveLength(20)
    const { rows } = await pool.query(kept)
    await pool.query(`SET plan_cache_mode = 'force_generic_plan'`)
    const { rows: lines } = await pool.query(`EXPLAIN EXECUTE ${rows[0].name}('default')`)
    const plan = lines.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index Scan using events_accepted on events/)
    expect(plan).not.toContain('Seq Scan on events')
  })
})
