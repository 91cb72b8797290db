import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { migratePostgres, type PostgresStore, postgresStore } from '../../src/stores/postgres.js'
import { type PgBouncer, startPgBouncer } from '../servers/pgbouncer.js'
import { effect, newEvent, postgresRig } from './postgres-rig.js'

const bouncers: PgBouncer[] = []
// Register this hook first, because hooks run in reverse order and those of the rig end the pools.
afterAll(() => Promise.all(bouncers.map((bouncer) => bouncer.close())))
const rig = postgresRig()

/** Stores that share the connections of a PgBouncer, and therefore their prepared statements. */
async function behind(config: Readonly<Record<string, string>>) {
  const bouncer = await startPgBouncer(rig.server, config)
  bouncers.push(bouncer)
  // A client that ends while it is idle takes its knowledge of the statements with it.
  const newPool = () => rig.pool({ connectionString: bouncer.url, max: 1, idleTimeoutMillis: 0 })
  const other = newPool()

  return {
    /** Returns a store, and the SQLSTATE of each error it gets, except for known events in a batch. */
    newStore(schema = 'webhook_inbox') {
      const pool = newPool()
      const told: unknown[] = []
      pool.on('connect', (client) => {
        const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
        connection.on('errorMessage', ({ code }) => code === '23505' || told.push(code))
      })
      return { store: postgresStore({ pool, schema }), told }
    },
    /** Occupies the present connection until the test ends, so that the next transaction uses another. */
    async occupy() {
      const client = await other.connect()
      onTestFinished(() => client.release(true))
      await client.query('BEGIN')
    },
    /** Removes the prepared statements that match from the connection. */
    async forget(beginning: RegExp) {
      const { rows } = await other.query(
        `SELECT name, trim(statement, E'\\n') AS text FROM pg_prepared_statements WHERE name LIKE 'webhook_inbox_%'`,
      )
      const forgotten = rows.filter(({ text }) => beginning.test(text))
      expect(forgotten).not.toEqual([])
      await other.query(forgotten.map(({ name }) => `DEALLOCATE ${name}`).join('; '))
    },
  }
}

/** Each function runs new events and checks their results and effects. */
const verbs = {
  async 'is run'({ once, inbox }) {
    const event = newEvent()
    const done = { state: 'done', attempt: 1 }
    expect(await once(event, ({ tx }) => effect(tx, event))).toMatchObject(done)
    expect(await rig.effects(event)).toBe(1)
    expect(await inbox.read(event.key)).toMatchObject(done)
  },
  async 'is accepted with a job'({ inbox }) {
    const event = newEvent()
    expect(await inbox.accept(event, async (tx) => void (await effect(tx, event)))).toEqual(accepted)
    expect(await rig.effects(event)).toBe(1)
    expect(await inbox.read(event.key)).toMatchObject({ state: 'accepted', attempt: 0 })
  },
  'is accepted': (store) => accept(store, 1),
  'is accepted with 49 others': (store) => accept(store, 50),
  'is accepted with 199 others': (store) => accept(store, 200),
} satisfies Record<string, (store: PostgresStore<pg.PoolClient>) => Promise<void>>

const accepted = { state: 'accepted' }

async function claims({ once }: PostgresStore<pg.PoolClient>): Promise<void> {
  expect(await once(newEvent(), async () => {})).toMatchObject({ state: 'done', attempt: 1 })
}

async function accept({ inbox }: PostgresStore<pg.PoolClient>, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => newEvent())
  const outcomes = await Promise.all(events.map((event) => inbox.accept(event)))
  expect(new Set(outcomes)).toEqual(new Set([accepted]))
  const again = await Promise.all(events.map((event) => inbox.accept(event)))
  expect(new Set(again.map(({ state }) => state))).toEqual(new Set(['duplicate']))
}

describe.each(Object.entries(verbs))('behind PgBouncer: an event that %s', (_, verb) => {
  test('works on a connection where another process prepared the statements', async () => {
    const { newStore } = await behind({ default_pool_size: '1' })
    await verb(newStore().store)
    const { store, told } = newStore()
    for (let i = 0; i < 3; i++) {
      await verb(store)
    }
    expect(told).toEqual(['42P05'])
  })

  test('works on a connection without prepared statements', async () => {
    const { newStore, occupy } = await behind({ default_pool_size: '2' })
    const { store, told } = newStore()
    await verb(store)
    expect(told).toEqual([])
    await occupy()
    for (let i = 0; i < 3; i++) {
      await verb(store)
    }
    expect(told).toEqual(['26000'])
  })

  test('works on a connection that is reset after each transaction', async () => {
    const { newStore } = await behind({ default_pool_size: '1', server_reset_query_always: '1' })
    const { store, told } = newStore()
    for (let i = 0; i < 3; i++) {
      await verb(store)
    }
    expect(told).toEqual(['26000'])
  })
})

describe('behind PgBouncer, in an open transaction,', () => {
  test('a claim whose statement already exists moves to another transaction', async () => {
    const { newStore, forget } = await behind({ default_pool_size: '1' })
    await verbs['is run'](newStore().store)
    await forget(/^(?:BEGIN|SELECT)/)
    const { store, told } = newStore()
    for (let i = 0; i < 3; i++) {
      await verbs['is run'](store)
    }
    expect(told).toEqual(['42P05'])
  })

  test('a claim whose statement is missing moves to another transaction', async () => {
    const { newStore, forget } = await behind({ default_pool_size: '1' })
    const { store, told } = newStore()
    await verbs['is run'](store)
    await forget(/^INSERT/)
    for (let i = 0; i < 3; i++) {
      await verbs['is run'](store)
    }
    expect(told).toEqual(['26000'])
  })

  test('a claim that failed without tables works later, with a statement name that is taken', async () => {
    const schema = `later_${randomUUID().replaceAll('-', '')}`
    const { newStore, forget } = await behind({ default_pool_size: '1' })
    const { store, told } = newStore(schema)
    await expect(store.once(newEvent(), async () => {})).rejects.toThrow(/migratePostgres/)
    await migratePostgres(rig.pool(), { schema })
    // From 1.21 on PgBouncer manages prepared statements itself. This tests that case through failed attempts only.
    await forget(/^(?:BEGIN|SELECT)/)
    await claims(newStore(schema).store)
    for (let i = 0; i < 3; i++) {
      await claims(store)
    }
    expect(told).toEqual(['42P01'])
  })
})
