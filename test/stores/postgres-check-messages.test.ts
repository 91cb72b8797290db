import type { PoolClient } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { migratePostgres, postgresMigrations, postgresStore, type Row } from '../../src/stores/postgres.js'
import { postgresRig } from './postgres-rig.js'

const rig = postgresRig()

const latest = postgresMigrations().length

/** Tables in a schema of their own, which `sql` changes. */
async function changed(schema: string, ...sql: string[]) {
  await migratePostgres(rig.pool(), { schema })
  for (const each of sql) {
    await rig.sql(each)
  }
  return postgresStore({ pool: rig.pool(), schema })
}

/** A store whose server differs from the real one in these facts. */
function onServerWith(facts: Row, allowVolatile = false) {
  const pool = rig.pool()
  return postgresStore<PoolClient>({
    allowVolatile,
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await work(client)
        await client.query('COMMIT')
      } finally {
        client.release()
      }
    },
    async query(client, text, values) {
      const { rows } = await client.query(text, [...values])
      return text.includes('server_version_num') ? [{ ...rows[0], ...facts }] : rows
    },
  })
}

beforeAll(() => rig.sql('CREATE ROLE stranger; CREATE ROLE reader LOGIN'))

describe('check rejects, and says what to do:', () => {
  const writable = 'and this store needs Postgres 13 or later to write to'

  test.each([
    [{ version_num: 129_999, version: '12.22' }, `Postgres 12.22, ${writable}; upgrade it`],
    [{ standby: true }, `the server is a standby, ${writable}; connect the pool to the primary`],
    [{ read_only: 'on' }, `transactions are read-only, ${writable}; connect as a role that may write`],
    [{ encoding: 'SQL_ASCII' }, `the database’s encoding is SQL_ASCII, ${writable}; use UTF8`],
  ])('a server with %o', async (facts, message) => {
    await expect(onServerWith(facts).check()).rejects.toThrow(`store_unsupported: ${message}`)
  })

  test('a database with another encoding', async () => {
    await rig.sql(`CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    const url = new URL(rig.url)
    url.pathname = '/latin'
    const pool = rig.pool({ connectionString: url.href })
    await expect(postgresStore({ pool }).check()).rejects.toThrow('the database’s encoding is LATIN1')
  })

  test('tables that are missing', async () => {
    const store = (schema: string) => postgresStore({ pool: rig.pool(), schema })
    await expect(store('nowhere').check()).rejects.toThrow(
      'store_not_migrated: the schema "nowhere" has no tables of this store; run migratePostgres(pool, { schema: ' +
        "'nowhere' }) or webhook-inbox inbox migrate before the program starts, or the SQL of postgresMigrations('nowhere')",
    )
    await rig.sql('CREATE SCHEMA half; CREATE TABLE half.migrations (version int)')
    await expect(store('half').check()).rejects.toThrow('the schema "half" has no tables of this store')
    await rig.sql('CREATE SCHEMA rest; CREATE TABLE rest.events (key text)')
    await expect(store('rest').check()).rejects.toThrow('the schema "rest" has no tables of this store')
  })

  test('the default schema without naming it', async () => {
    await rig.sql('CREATE DATABASE empty')
    const url = new URL(rig.url)
    url.pathname = '/empty'
    await expect(postgresStore({ pool: rig.pool({ connectionString: url.href }) }).check()).rejects.toThrow(
      'the schema "webhook_inbox" has no tables of this store; run migratePostgres(pool) or webhook-inbox inbox ' +
        'migrate before the program starts, or the SQL of postgresMigrations()',
    )
  })

  test.each([
    ['DELETE FROM older.migrations WHERE version > 1', 1],
    ['DELETE FROM older.migrations', 0],
  ])('tables that are older: %s', async (sql, version) => {
    const store = await changed('older', sql)
    await expect(store.check()).rejects.toThrow(
      `store_not_migrated: the tables of the schema "older" are of version ${version}, this program needs ${latest}; ` +
        "run migratePostgres(pool, { schema: 'older' })",
    )
  })

  test('tables that are too new', async () => {
    const store = await changed('newer', `INSERT INTO newer.migrations VALUES (${latest + 2}, ${latest + 1})`)
    await expect(store.check()).rejects.toThrow(
      `store_unsupported: the tables are of version ${latest + 2}, too new for this program; deploy a newer one`,
    )
  })

  test.each(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])(
    'a role without the privilege %s',
    async (privilege) => {
      await changed(
        'granted',
        'GRANT USAGE ON SCHEMA granted TO reader',
        'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA granted TO reader',
        `REVOKE ${privilege} ON granted.events FROM reader`,
      )
      const reader = rig.pool({ connectionString: rig.url.replace('postgres@', 'reader@') })
      await expect(postgresStore({ pool: reader, schema: 'granted' }).check()).rejects.toThrow(
        'store_unsupported: the role may not write the tables; grant it USAGE on the schema "granted" and SELECT, INSERT, UPDATE, ' +
          'DELETE on all its tables',
      )
    },
  )

  test('a schema that another role owns', async () => {
    const store = await changed('strange', 'ALTER SCHEMA strange OWNER TO stranger')
    await expect(store.check()).rejects.toThrow(
      'store_unsupported: the schema "strange" belongs to stranger, who can replace its tables; ' +
        'fix: ALTER SCHEMA "strange" OWNER TO the owner of its tables',
    )
  })

  test('tables that another role owns', async () => {
    const store = await changed(
      'mixed',
      'ALTER TABLE mixed.runs OWNER TO stranger',
      'ALTER TABLE mixed.audits OWNER TO stranger',
    )
    await expect(store.check()).rejects.toThrow(
      /store_unsupported: (runs, audits|audits, runs) in "mixed" belong to another role than events; fix: give all one owner/,
    )
  })

  test('triggers and rules', async () => {
    const store = await changed(
      'watched',
      `CREATE FUNCTION watched.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'`,
      'CREATE TRIGGER spy BEFORE INSERT ON watched.events FOR EACH ROW EXECUTE FUNCTION watched.watch()',
      'CREATE RULE hide AS ON INSERT TO watched.runs DO INSTEAD NOTHING',
    )
    await expect(store.check()).rejects.toThrow(
      'store_unsupported: "watched" has the trigger spy on events, the rule hide on runs, which this store did not create; fix: drop them',
    )
  })

  test('what a crash empties', async () => {
    const lost = 'acknowledged events would be lost in a crash. Fix it, or allow it with allowVolatile: true'
    const unlogged = await changed('unlogged', 'ALTER TABLE unlogged.events SET UNLOGGED')
    await expect(unlogged.check()).rejects.toThrow(
      `store_volatile: the table of events is unlogged, and a crash empties it; ${lost}`,
    )
    await expect(onServerWith({ fsync: 'off' }).check()).rejects.toThrow(
      `store_volatile: the server runs with fsync=off; ${lost}`,
    )
  })
})

describe('check says what survives a crash of the host:', () => {
  test.each([
    [{}, 'yes, as far as its disk keeps what it has flushed'],
    [
      { full_page_writes: 'off' },
      'yes, as far as its disk keeps what it has flushed, unless a page is torn, because full_page_writes=off',
    ],
    [
      { synchronous_commit: 'off', wal_writer_delay: '500' },
      'up to 1.5 s may be lost, because synchronous_commit=off',
    ],
    [{ fsync: 'off' }, 'no, because the server runs with fsync=off'],
  ])('%o', async (facts, hostCrash) => {
    expect(await onServerWith(facts, true).check()).toMatchObject({ hostCrash, warnings: [] })
  })

  test('tables that a crash empties', async () => {
    await changed('emptied', 'ALTER TABLE emptied.events SET UNLOGGED')
    const store = postgresStore({ pool: rig.pool(), schema: 'emptied', allowVolatile: true })
    expect((await store.check()).hostCrash).toBe(
      'no, because the table of events is unlogged, and a crash empties it',
    )
  })
})

test('check warns of tables that are newer', async () => {
  const store = await changed('later', `INSERT INTO later.migrations VALUES (${latest + 2}, ${latest})`)
  expect((await store.check()).warnings).toEqual([
    `the tables are of version ${latest + 2}, newer than this program’s ${latest}`,
  ])
})

test('the oldest server that check accepts is Postgres 13', async () => {
  const { store } = await onServerWith({ version_num: 130_000, version: '13.0' }).check()
  expect(store).toBe('postgres 13.0')
})
