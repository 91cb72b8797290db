import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { migratePostgres, postgresMigrations, postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** The versions of the tables, oldest first. */
const versions = postgresMigrations().map(({ version }) => version)

const latest = postgresMigrations().length

/** Returns a hash of the structure of all tables in a schema. */
async function shape(schema: string) {
  const columns = await rig.sql(
    `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
     WHERE table_schema = $1 ORDER BY 1, 2`,
    [schema],
  )
  const indexes = await rig.sql('SELECT indexname FROM pg_indexes WHERE schemaname = $1 ORDER BY 1', [schema])
  expect(columns.length).toBeGreaterThan(30)
  return createHash('sha256')
    .update(JSON.stringify([columns, indexes]))
    .digest('hex')
}

describe('the tables', () => {
  test('are created once by concurrent migrations', async () => {
    const pool = rig.pool({ max: 8 })
    const reached = await Promise.all(
      Array.from({ length: 8 }, () => migratePostgres(pool, { schema: 'many' })),
    )
    expect(new Set(reached)).toEqual(new Set([latest]))
    expect(await migratePostgres(pool, { schema: 'many' })).toBe(latest)
    expect(await rig.sql('SELECT version FROM many.migrations')).toEqual(
      versions.map((version) => ({ version })),
    )
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })

  test('are the same when created by hand, and after a second run', async () => {
    for (let i = 0; i < 2; i++) {
      for (const { sql } of postgresMigrations('by_hand')) {
        await rig.sql(sql)
      }
    }
    await migratePostgres(rig.pool(), { schema: 'by_tool' })
    expect(await shape('by_hand')).toBe(await shape('by_tool'))
    const store = postgresStore({ pool: rig.pool(), schema: 'by_hand' })
    await store.check()
    expect((await store.once(newEvent(), async () => {})).state).toBe('done')
    expect(await rig.sql('SELECT state FROM by_hand.events')).toEqual([{ state: 'done' }])
  })

  test('are separated by their schema, whose name is quoted', async () => {
    await migratePostgres(rig.pool(), { schema: 'Select' })
    const store = postgresStore({ pool: rig.pool(), schema: 'Select' })
    const event = newEvent()
    await store.once(event, async () => {})
    expect(await rig.store().inbox.read(event.key)).toBeUndefined()
    for (const schema of ['', 'a"b', 'a.b', '1a', 'a'.repeat(64), 'a\0', null as never]) {
      expect(() => postgresStore({ pool: rig.pool(), schema }), schema).toThrow(ConfigurationError)
      expect(() => postgresMigrations(schema), schema).toThrow(ConfigurationError)
    }
  })

  test('have the indexes that docs/stores.md builds without holding up deliveries', async () => {
    await migratePostgres(rig.pool(), { schema: 'documented' })
    const text = readFileSync(join(import.meta.dirname, '../../docs/stores.md'), 'utf8')
    const statements = text.match(/CREATE INDEX CONCURRENTLY[^;]+/g) ?? []
    expect(statements.length).toBeGreaterThanOrEqual(5)
    const definitions = () =>
      rig.sql(`SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'documented' ORDER BY indexname`)
    const before = await definitions()
    for (const statement of statements) {
      const [, name] = statement.match(/EXISTS (\w+)/) as RegExpMatchArray
      await rig.sql(`DROP INDEX documented.${name}`)
      await rig.sql(statement.replace('webhook_inbox.events', 'documented.events'))
    }
    expect(await definitions()).toEqual(before)
  })

  test('are created completely or not at all', async () => {
    await rig.sql("CREATE SCHEMA half; CREATE TYPE half.quarantine AS ENUM ('in the way')")
    const pool = rig.pool()
    await expect(migratePostgres(pool, { schema: 'half' })).rejects.toThrow(/quarantine/)
    expect(await rig.sql("SELECT to_regclass('half.migrations') AS name")).toEqual([{ name: null }])
    await rig.sql('DROP TYPE half.quarantine')
    expect(await migratePostgres(pool, { schema: 'half' })).toBe(latest)
  })
})

test('health estimates large counts and counts small ones exactly', async () => {
  const schema = 'many_done'
  await migratePostgres(rig.pool(), { schema })
  const fill = (state: string, count: number) =>
    rig.sql(
      `INSERT INTO ${schema}.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued, due_at)
       SELECT $1 || n, 'default', 'evt', 'type', 'now', 'hash', '', $1, 0, true, now() FROM generate_series(1, $2::int) AS n`,
      [state, count],
    )
  const store = postgresStore({ pool: rig.pool(), schema })
  await fill('done', 10_000)
  expect((await store.inbox.health()).counts.done).toBe(10_000)
  await fill('accepted', 700)
  await rig.sql(
    `INSERT INTO ${schema}.events (key, endpoint, id, type, created_at, content_hash, body, state, attempt, queued)
     SELECT 'more' || n, 'default', 'evt', 'type', 'now', 'hash', '', 'done', 1, true FROM generate_series(1, 20000) AS n`,
  )
  await rig.sql(`ANALYZE ${schema}.events`)
  const { counts } = await store.inbox.health()
  expect(counts.accepted).toBe(700)
  expect(counts.done).toBeGreaterThan(29_000)
  expect(counts.done).toBeLessThan(31_000)
})

test('a replay is stored with its actor and reason', async () => {
  const store = rig.store()
  const event = newEvent()
  await store.once(event, async () => {})
  await store.inbox.requeue(event.key, { reason: 'paid twice\0', actor: 'ops@example.com' }, async () => {})
  const notes = await rig.sql('SELECT generation, reason, actor FROM webhook_inbox.replays WHERE key = $1', [
    event.key,
  ])
  expect(notes).toEqual([{ generation: 1, reason: 'paid twice\uFFFD', actor: 'ops@example.com' }])
})
