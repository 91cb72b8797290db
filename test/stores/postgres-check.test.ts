import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../src/errors.js'
import { migratePostgres, postgresMigrations, postgresStore } from '../../src/stores/postgres.js'
import { startPostgres } from '../servers/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const latest = postgresMigrations().length

const refusal = async (check: Promise<unknown>) => {
  const error = await check.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ConfigurationError)
  return (error as ConfigurationError).code
}

describe('check', () => {
  test('describes the guarantee of this server', async () => {
    const guarantee = await rig.store().check()
    expect(guarantee).toEqual({
      store: expect.stringMatching(/^postgres \d+\.\d+$/),
      scope: 'every process on this database',
      processCrash: 'yes',
      hostCrash: 'yes, as far as its disk keeps what it has flushed',
      runs: expect.stringContaining('effect and mark commit together'),
      notes: [],
      warnings: [],
    })
  })

  test('rejects tables that are missing or older, and names the fix', async () => {
    const store = (schema: string) => postgresStore({ pool: rig.pool(), schema })
    expect(await refusal(store('nowhere').check())).toBe('store_not_migrated')
    await expect(store('nowhere').check()).rejects.toThrow(
      /run migratePostgres\(pool, { schema: 'nowhere' }\) or webhook-inbox inbox migrate .* postgresMigrations\('nowhere'\)/,
    )
    await migratePostgres(rig.pool(), { schema: 'older' })
    await rig.sql('DELETE FROM older.migrations WHERE version > 1')
    expect(await refusal(store('older').check())).toBe('store_not_migrated')
    await expect(store('older').check()).rejects.toThrow(/of the schema "older" .*{ schema: 'older' }/)
    await expect(store('nowhere').once(newEvent(), async () => {})).rejects.toThrow(
      /run migratePostgres\(pool\), with the schema that postgresStore has/,
    )
  })

  test('works on newer tables that say they allow it, as in a rolling deploy', async () => {
    await migratePostgres(rig.pool(), { schema: 'newer' })
    const store = postgresStore({ pool: rig.pool(), schema: 'newer' })
    await rig.sql(`INSERT INTO newer.migrations VALUES (${latest + 4}, 1)`)
    expect((await store.check()).warnings?.join()).toContain(`version ${latest + 4}, newer`)
    expect(await migratePostgres(rig.pool(), { schema: 'newer' })).toBe(latest + 4)
    await rig.sql(`UPDATE newer.migrations SET oldest_program = ${latest + 1} WHERE version = ${latest + 4}`)
    expect(await refusal(store.check())).toBe('store_unsupported')
  })

  test('rejects a role without write access, and a read-only server', async () => {
    await rig.sql('CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA webhook_inbox TO reader')
    await rig.sql('GRANT SELECT ON ALL TABLES IN SCHEMA webhook_inbox TO reader')
    const reader = rig.pool({ connectionString: rig.url.replace('postgres@', 'reader@') })
    expect(await refusal(postgresStore({ pool: reader }).check())).toBe('store_unsupported')
    const readOnly = rig.store({ options: '-c default_transaction_read_only=on' })
    expect(await refusal(readOnly.check())).toBe('store_unsupported')
  })

  test('rejects a schema that another role owns, and tables with triggers or rules', async () => {
    await rig.sql('CREATE ROLE stranger; CREATE SCHEMA strange AUTHORIZATION stranger')
    const store = (schema: string) => postgresStore({ pool: rig.pool(), schema })
    await migratePostgres(rig.pool(), { schema: 'strange' })
    expect(await refusal(store('strange').check())).toBe('store_unsupported')
    await rig.sql('ALTER SCHEMA strange OWNER TO postgres')
    await store('strange').check()
    await rig.sql('ALTER TABLE strange.quarantine OWNER TO stranger')
    expect(await refusal(store('strange').check())).toBe('store_unsupported')

    await migratePostgres(rig.pool(), { schema: 'watched' })
    await rig.sql(
      `CREATE FUNCTION watched.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'`,
    )
    await rig.sql(
      'CREATE TRIGGER spy BEFORE INSERT ON watched.events FOR EACH ROW EXECUTE FUNCTION watched.watch()',
    )
    await expect(store('watched').check()).rejects.toThrow(/trigger spy on events/)
    await rig.sql('DROP TRIGGER spy ON watched.events')
    await store('watched').check()
    await rig.sql('CREATE RULE hide AS ON INSERT TO watched.quarantine DO INSTEAD NOTHING')
    await expect(store('watched').check()).rejects.toThrow(/rule hide on quarantine/)
  })

  test('rejects another owner of any table that the migrations create', async () => {
    await migratePostgres(rig.pool(), { schema: 'shared' })
    await rig.sql('CREATE ROLE neighbor')
    const store = postgresStore({ pool: rig.pool(), schema: 'shared' })
    const tables = await rig.sql("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'shared'")
    expect(tables.length).toBeGreaterThan(10)
    const accepted: string[] = []
    for (const { name } of tables.filter((table) => table.name !== 'events')) {
      await rig.sql(`ALTER TABLE shared.${name} OWNER TO neighbor`)
      await store.check().then(
        () => accepted.push(name),
        () => {},
      )
      await rig.sql(`ALTER TABLE shared.${name} OWNER TO postgres`)
    }
    expect(accepted).toEqual([])
    await store.check()
  })

  test('accepts tables of the role that migrates, and names it', async () => {
    await rig.sql('CREATE ROLE migrator; GRANT CREATE ON DATABASE postgres TO migrator')
    await migratePostgres(rig.pool({ options: '-c role=migrator' }), { schema: 'migrated' })
    const { notes } = await postgresStore({ pool: rig.pool(), schema: 'migrated' }).check()
    expect(notes).toEqual(['the tables belong to the role migrator'])
  })

  test('rejects a standby', async () => {
    const server = await startPostgres()
    const pool = new pg.Pool({ connectionString: server.url })
    const store = postgresStore({ pool })
    try {
      await migratePostgres(pool)
      await store.check()
      await server.stop('fast')
      writeFileSync(join(server.data, 'standby.signal'), '')
      await server.start()
      expect(await refusal(store.check())).toBe('store_unsupported')
    } finally {
      await pool.end()
      await server.close()
    }
  })

  test('says what may be lost with asynchronous commits', async () => {
    const store = rig.store({ options: '-c synchronous_commit=off' })
    expect((await store.check()).hostCrash).toBe('up to 0.6 s may be lost, because synchronous_commit=off')
  })

  test('rejects a server without fsync and unlogged tables, unless allowVolatile is set', async () => {
    const server = await startPostgres({ fsync: 'off', full_page_writes: 'off' })
    const pool = new pg.Pool({ connectionString: server.url })
    try {
      await migratePostgres(pool)
      expect(await refusal(postgresStore({ pool }).check())).toBe('store_volatile')
      const allowed = await postgresStore({ pool, allowVolatile: true }).check()
      expect(allowed.hostCrash).toBe('no, because the server runs with fsync=off')
    } finally {
      await pool.end()
      await server.close()
    }
    await migratePostgres(rig.pool(), { schema: 'unlogged' })
    await rig.sql('ALTER TABLE unlogged.events SET UNLOGGED')
    expect(await refusal(postgresStore({ pool: rig.pool(), schema: 'unlogged' }).check())).toBe(
      'store_volatile',
    )
  })

  test('throws a StoreError while the server is down', async () => {
    const pool = new pg.Pool({ connectionString: 'postgresql://postgres@127.0.0.1:1/postgres' })
    await expect(postgresStore({ pool }).check()).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('options', () => {
  test('are rejected if they are unknown or invalid', () => {
    const pool = rig.pool()
    const transaction = async () => undefined as never
    const query = async () => []
    for (const [options, code] of [
      [undefined, 'invalid_option'],
      [{}, 'invalid_option'],
      [{ pool: {} }, 'invalid_option'],
      [{ transaction }, 'invalid_option'],
      [{ pool, transaction, query }, 'invalid_option'],
      [{ pool, query }, 'invalid_option'],
      [{ pool, allowVolatile: 'yes' }, 'invalid_option'],
      [{ pool, table: 'events' }, 'unknown_option'],
    ] as const) {
      expect(() => postgresStore(options as never)).toThrow(expect.objectContaining({ code }))
    }
    postgresStore({ pool, schema: undefined } as never)
  })
})
