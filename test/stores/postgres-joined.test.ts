import { sql } from 'drizzle-orm'
import { CompiledQuery, type Transaction } from 'kysely'
import type { PoolClient } from 'pg'
import { describe, expectTypeOf, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import {
  type DrizzleTx,
  onDrizzle,
  onKnex,
  onKysely,
  onPostgresJs,
  rig,
  startJoinedRig,
  type Tables,
  written,
} from './postgres-joined-rig.js'

startJoinedRig()

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
    lacks: ['take'],
    misuses: {
      commits: (trx) => trx.executeQuery(CompiledQuery.raw('COMMIT', [])),
      'commits and begins': (trx) => trx.executeQuery(CompiledQuery.raw('COMMIT AND CHAIN', [])),
      'rolls back': (trx) => trx.executeQuery(CompiledQuery.raw('ROLLBACK', [])),
    },
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
      lacks: ['take'],
    })
  })
  describe('joined to Knex, the store', () => storeSuite(test, onKnex, { skip }))
  describe('joined to postgres.js, the store', () => storeSuite(test, onPostgresJs, { skip }))
  describe('joined to Knex, the inbox', () => {
    inboxSuite(test, onKnex, {
      write: (trx, word) => trx('words').insert({ word }),
      written,
      lacks: ['take'],
    })
  })
  describe('joined to postgres.js, the inbox', () => {
    inboxSuite(test, onPostgresJs, {
      write: (tx, word) => tx`INSERT INTO words VALUES (${word})`,
      written,
      lacks: ['take'],
      skip: [
        {
          reason: 'a statement on a connection that the server has ended throws outside of every promise',
          tests: ['an expired claim does not block its resource'],
        },
      ],
    })
  })
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
