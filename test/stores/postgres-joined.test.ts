import { sql } from 'drizzle-orm'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { PoolClient } from 'pg'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { HandlerFailure } from '../../src/dispatch/run-handler.js'
import { postgresStore, type Row } from '../../src/stores/postgres.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

interface Tables {
  words: { word: string }
}

beforeAll(async () => {
  await rig.sql('CREATE TABLE words (word text PRIMARY KEY)')
})
const written = async () => (await rig.sql('SELECT word FROM words')).map(({ word }) => word)

function onKysely() {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: quiet() }) })
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

/** With their own transactions the pool is theirs to listen to, and so is the client that a lease ends. */
function quiet() {
  const pool = rig.pool({ max: 10 })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const skip = [
  {
    reason: 'an attempt that is cut off is rolled back and leaves no trace, so it is not counted',
    tests: ['an event whose holder died is free when its lease has passed, and not before'],
  },
  {
    reason: 'the library keeps the connection, and tells of its end only as a failed statement',
    tests: [
      'a holder that lost its claim cannot mark the event done',
      'a holder that lost its claim and fails does not free the event',
    ],
  },
]

describe('joined to Kysely, the store', () => storeSuite(test, onKysely, { skip }))
describe('joined to Drizzle, the store', () => storeSuite(test, onDrizzle, { skip }))

describe('joined to Kysely, the inbox', () => {
  inboxSuite(test, onKysely, {
    write: (trx, word) => trx.insertInto('words').values({ word }).execute(),
    written,
  })
})

describe('joined to Drizzle, the inbox', () => {
  inboxSuite(test, onDrizzle, {
    write: (tx, word) => tx.execute(sql`INSERT INTO words VALUES (${word})`),
    written,
  })
})

describe.each([
  ['Kysely', () => onKysely() as ReturnType<typeof postgresStore>],
  ['Drizzle', () => onDrizzle() as ReturnType<typeof postgresStore>],
] as const)('joined to %s', (_, makeStore) => {
  test('a handler that swallows an error of the database is not done', async () => {
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

test('tx has the type that the handler knows', () => {
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
