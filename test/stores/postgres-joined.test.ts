import { sql } from 'drizzle-orm'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import knex, { type Knex } from 'knex'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'
import type { PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
import { isRefusedCommit } from '../../src/stores/postgres/postgres-fault.js'
import { postgresStore, type Row } from '../../src/stores/postgres.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { inTransaction } from '../servers/in-transaction.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

interface Tables {
  words: { word: string }
}

beforeAll(async () => {
  await rig.sql('CREATE TABLE words (word text PRIMARY KEY)')
})
const written = async () => (await rig.sql('SELECT word FROM words')).map(({ word }) => word)

function onKysely(options: pg.PoolConfig = {}) {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: quiet(options) }) })
  return postgresStore<Transaction<Tables>>({
    transaction: (work) => db.transaction().execute(work),
    query: async (trx, text, values) =>
      (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the schema is of no account here.
type DrizzleTx = NodePgTransaction<Record<string, never>, any>

function onDrizzle() {
  const db = drizzle(quiet())
  return postgresStore<DrizzleTx>({
    transaction: (work) => db.transaction(work),
    query: async (tx, text, values) => {
      const parts = text
        .split(/\$(\d+)/)
        .map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`))
      return (await tx.execute(sql.join(parts))).rows
    },
  })
}

const ends: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))

function onKnex() {
  const pool = { min: 0, max: 10, idleTimeoutMillis: 500 }
  const db = knex({ client: 'pg', connection: rig.url, pool })
  ends.push(() => db.destroy())
  return postgresStore<Knex.Transaction>({
    transaction: (work) => db.transaction(work),
    query: async (trx, text, values) => {
      const connection: PoolClient = await trx.client.acquireConnection()
      return (await connection.query(text, [...values])).rows
    },
  })
}

function onPostgresJs() {
  const client = postgres(rig.url, { idle_timeout: 1 })
  ends.push(() => client.end({ timeout: 1 }))
  return postgresStore<postgres.TransactionSql>({
    transaction: (work) => client.begin(work),
    query: (tx, text, values) => tx.unsafe(text, values as postgres.ParameterOrJSON<never>[]),
  })
}

function onClients(
  run: (client: PoolClient, text: string, values: readonly unknown[]) => Promise<{ rows: Row[] }>,
) {
  const pool = quiet()
  return postgresStore<PoolClient>({
    transaction: (work) => inTransaction(pool, work),
    query: async (client, text, values) => (await run(client, text, values)).rows,
  })
}

/** These libraries own the pool, so they handle its `error` events, and those of a client that a lease ends. */
function quiet(options: pg.PoolConfig = {}) {
  const pool = rig.pool({ max: 10, ...options })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const skip = [
  {
    reason: 'an attempt that is cut off is rolled back and leaves no trace, so it is not counted',
    tests: ['an event whose holder died is free when its lease expires, not earlier'],
  },
  {
    reason: 'the library keeps the connection, and tells of its end only as a failed statement',
    tests: [
      'a holder that lost its claim cannot mark the event done',
      'a holder that lost its claim and fails does not free the event',
    ],
  },
]

describe('joined to Kysely, the store', () => storeSuite(test, () => onKysely(), { skip }))

describe('joined to Kysely, the inbox', () => {
  inboxSuite(test, () => onKysely(), {
    write: (trx, word) => trx.insertInto('words').values({ word }).execute(),
    written,
  })
})

/** All laws through each library take half a minute. The examples run each of them once. */
const inFull = process.env.LONG ? '' : ' (skipped: runs with LONG=1)'
describe.skipIf(inFull)(`in full${inFull}`, () => {
  describe('joined to Drizzle, the store', () => storeSuite(test, onDrizzle, { skip }))
  describe('joined to Drizzle, the inbox', () => {
    inboxSuite(test, onDrizzle, {
      write: (tx, word) => tx.execute(sql`INSERT INTO words VALUES (${word})`),
      written,
    })
  })
  describe('joined to Knex, the store', () => storeSuite(test, onKnex, { skip }))
  describe('joined to postgres.js, the store', () => storeSuite(test, onPostgresJs, { skip }))
  describe('joined to Knex, the inbox', () => {
    inboxSuite(test, onKnex, { write: (trx, word) => trx('words').insert({ word }), written })
  })
  describe('joined to postgres.js, the inbox', () => {
    inboxSuite(test, onPostgresJs, {
      write: (tx, word) => tx`INSERT INTO words VALUES (${word})`,
      written,
      skip: [
        {
          reason: 'a statement on a connection that the server has ended throws outside of every promise',
          tests: ['an expired claim does not block its resource'],
        },
      ],
    })
  })
})

describe('a handler that wraps the client of the pool in Drizzle', () => {
  const insert = (word: string) => sql`INSERT INTO words VALUES (${word})`
  const store = () => postgresStore({ pool: rig.pool() })

  test('commits its writes with the mark, or neither', async () => {
    const [event, word] = [newEvent(), newEvent().key]
    const once = (isFailing: boolean) =>
      store().once(event, async ({ tx }) => {
        await drizzle({ client: tx }).execute(insert(word))
        if (isFailing) {
          throw new Error('the handler fails')
        }
      })
    await expect(once(true)).rejects.toThrow('the handler fails')
    expect(await written()).not.toContain(word)
    expect((await once(false)).state).toBe('done')
    expect(await written()).toContain(word)
    expect((await once(false)).state).toBe('duplicate')
  })

  // docs/orms.md warns of it. Where a version of Drizzle opens a savepoint instead, the warning can go.
  test('commits too early with a transaction of its own', async () => {
    const word = newEvent().key
    const failed = store().once(newEvent(), async ({ tx }) => {
      await drizzle({ client: tx }).transaction((own) => own.execute(insert(word)))
      throw new Error('the handler fails')
    })
    await expect(failed).rejects.toThrow('the handler fails')
    expect(await written()).toContain(word)
  })

  test('which joined Drizzle makes a savepoint', async () => {
    const word = newEvent().key
    const failed = onDrizzle().once(newEvent(), async ({ tx }) => {
      await tx.transaction((own) => own.execute(insert(word)))
      throw new Error('the handler fails')
    })
    await expect(failed).rejects.toThrow('the handler fails')
    expect(await written()).not.toContain(word)
  })
})

describe.each([
  ['Kysely', () => onKysely() as ReturnType<typeof postgresStore>],
  ['Drizzle', () => onDrizzle() as ReturnType<typeof postgresStore>],
] as const)('joined to %s', (_, makeStore) => {
  test('an event whose handler catches an error of the database is not done', async () => {
    const store = makeStore()
    const event = newEvent()
    const swallowed = store.once(event, async ({ tx }) => {
      const trx = tx as unknown as Partial<Transaction<Tables>> & DrizzleTx
      const failing = trx.executeQuery?.(CompiledQuery.raw('SELECT 1/0', [])) ?? trx.execute(sql`SELECT 1/0`)
      await Promise.resolve(failing).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow(HandlerFailure)
    expect((await store.inbox.read(event.key))?.state).toBe('failed')
  })

  test('a handler that outlives its lease has no effect', async () => {
    const store = makeStore()
    const event = newEvent({ leaseSeconds: 1, workSeconds: 0.2 })
    const late = store.once(event, () => new Promise((resolve) => setTimeout(resolve, 1500)))
    await expect(late).rejects.toThrow()
    expect((await store.once(event, async () => {})).state).toBe('done')
  })
})

test('pages through every event with a driver that converts timestamps to dates, as postgres.js does', async () => {
  const { inbox } = onClients((client, text, values) => {
    const dated = (value: unknown, i: number) =>
      text.includes(`$${i + 1}::timestamptz`) ? new Date(String(value)).toISOString() : value
    return client.query<Row>(text, values.map(dated))
  })
  const endpoint = newEvent().key
  const events = Array.from({ length: 5 }, () => newEvent({}, { endpoint }))
  for (const event of events) {
    await inbox.accept(event)
  }
  const listed: string[] = []
  for (let after: string | undefined; listed.length < 6; after = listed.at(-1)) {
    const [event] = await inbox.list({ endpoint, limit: 1, ...(after && { after }) })
    if (!event) {
      break
    }
    listed.push(event.key)
  }
  expect(listed).toEqual(events.map(({ key }) => key))
})

test('a batch with a known event is accepted over a library that hides error codes', async () => {
  const { inbox } = onClients(async (client, text, values) => {
    try {
      return await client.query<Row>(text, [...values])
    } catch (error) {
      throw new Error((error as Error).message)
    }
  })
  const known = newEvent()
  await inbox.accept(known)
  const batch = [known, newEvent(), newEvent()]
  const outcomes = (await Promise.all(batch.map((event) => inbox.accept(event)))).map(({ state }) => state)
  expect(outcomes).toEqual(['duplicate', 'accepted', 'accepted'])
})

test('a lost reply to COMMIT is no handler failure, and the event is a duplicate', async () => {
  const cutter = await startCommitCutter(rig.server.port)
  try {
    const store = onKysely({ connectionString: rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`) })
    const [event, word] = [newEvent(), newEvent().key]
    cutter.arm(true)
    const unknown = store.once(event, async ({ tx }) => {
      await tx.insertInto('words').values({ word }).execute()
    })
    await expect(unknown).rejects.toThrow(StoreError)
    expect(cutter.cuts()).toBeGreaterThan(0)
    cutter.arm(false)
    expect((await store.once(event, async () => {})).state).toBe('duplicate')
    expect(await written()).toContain(word)
  } finally {
    await cutter.close()
  }
})

test.each([
  ['08006', 'a broken connection', false],
  ['53100', 'a full disk', false],
  ['57P01', 'a server that shuts down', false],
  ['EPIPE', 'a broken pipe', false],
  [undefined, 'a driver’s own fault', false],
  ['23503', 'a foreign key', true],
  ['P0001', 'a trigger', true],
])('%s, %s: the handler is to blame for a commit that fails so: %s', (code, said, isRefused) => {
  const cause = Object.assign(new Error(said), { code })
  expect(isRefusedCommit(cause)).toBe(isRefused)
  expect(isRefusedCommit(new Error('wrapped', { cause }))).toBe(isRefused)
})

test('tx has the type that the handler expects', () => {
  const pool = rig.pool()
  const ofPool = postgresStore({ pool })
  type Tx<Store> = Store extends { once(event: never, work: (context: infer C) => never): unknown }
    ? C extends { tx: infer T }
      ? T
      : never
    : never
  expectTypeOf<Tx<typeof ofPool>>().toEqualTypeOf<PoolClient>()
  expectTypeOf<Tx<ReturnType<typeof onKysely>>>().toEqualTypeOf<Transaction<Tables>>()
  expectTypeOf<Tx<ReturnType<typeof onDrizzle>>>().toEqualTypeOf<DrizzleTx>()
})
