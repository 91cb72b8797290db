import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { inboxSuite } from '../../src/testing/inbox-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'

let server: PostgresServer
let words: pg.Pool
const pools: pg.Pool[] = []

beforeAll(async () => {
  server = await startPostgres()
  words = new pg.Pool({ connectionString: server.url })
  await migratePostgres(words)
  await words.query(`CREATE TABLE words (word text PRIMARY KEY);
    CREATE TABLE accounts (id int PRIMARY KEY);
    CREATE TABLE entries (account int REFERENCES accounts DEFERRABLE INITIALLY DEFERRED)`)
  await words.query('CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$')
})

afterAll(async () => {
  await Promise.all([words, ...pools].map((pool) => pool.end()))
  await server.close()
})

/** Returns a separate store, as another process has one. */
function makeStore() {
  // Idle clients close soon: the laws make more stores than the server has connections for.
  const pool = new pg.Pool({ connectionString: server.url, max: 10, idleTimeoutMillis: 500 })
  pools.push(pool)
  return postgresStore({ pool })
}

describe('the store on Postgres', () => {
  storeSuite(test, makeStore, {
    makeUnreachable: () =>
      postgresStore({ pool: new pg.Pool({ connectionString: 'postgresql://127.0.0.1:1/none' }) }),
  })
})

describe('the inbox on Postgres', () => {
  inboxSuite(test, makeStore, {
    write: (tx, word) => tx.query('INSERT INTO words VALUES ($1)', [word]),
    written: async () => (await words.query('SELECT word FROM words')).rows.map(({ word }) => word),
    misuses: {
      commits: (tx) => tx.query('COMMIT'),
      'lets a procedure commit': (tx) => tx.query('CALL commits()'),
      'swallows an error': (tx) => tx.query('SELECT 1/0').catch(() => {}),
      'violates a deferred constraint': (tx) => tx.query('INSERT INTO entries VALUES (404)'),
      'ends its own connection': (tx) =>
        tx.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {}),
    },
  })
})
