import pg from 'pg'
import { expect, test } from 'vitest'
import { migratePostgres, postgresMigrations, postgresStore } from '../../src/stores/postgres.js'

// No connection is opened.
const pool = new pg.Pool()
const client = new pg.Client()
const transaction = async () => {}
const query = async () => []

const either =
  'invalid_option: give either pool, as in postgresStore({ pool: new Pool() }), or transaction and query'
const noPool = 'invalid_option: pool is a Client of pg: give a Pool, as in new Pool({ connectionString })'
const badSchema =
  'invalid_option: schema must be 1 to 63 letters, digits and underscores, beginning with no digit'

test.each<[object, string]>([
  [{}, either],
  [{ pool: {} }, either],
  [{ pool: { connect() {} } }, either],
  [{ pool: { on() {} } }, either],
  [{ transaction }, either],
  [{ query }, either],
  [{ pool, transaction }, either],
  [{ pool, query }, either],
  [{ pool, transaction, query }, either],
  [{ transaction: 'BEGIN', query }, either],
  [{ transaction, query: 'SELECT' }, either],
  [{ pool: client }, noPool],
  [{ pool, allowVolatile: 'yes' }, 'invalid_option: allowVolatile must be a boolean'],
  [{ pool, pipelining: 1 }, 'invalid_option: pipelining must be a boolean'],
  [{ pool, maxQuarantined: 0 }, 'invalid_option: maxQuarantined must be a positive whole number'],
  [{ pool, maxQuarantined: 1.5 }, 'invalid_option: maxQuarantined must be a positive whole number'],
  [{ pool, schema: '1a' }, badSchema],
  [{ pool, schema: 'a'.repeat(64) }, badSchema],
  [{ pool, schema: 'a b' }, badSchema],
  [{ pool, schema: 5 }, badSchema],
  [{ pool, schemas: 'a' }, 'unknown_option'],
])('postgresStore rejects %j, and says what to give', (options, message) => {
  expect(() => postgresStore(options as never)).toThrow(message)
})

test.each([
  { transaction, query },
  { pool, maxQuarantined: 1, pipelining: false, allowVolatile: true },
  { pool, schema: 'a'.repeat(63) },
  { pool, schema: '_A9' },
])('postgresStore takes %j', (options) => {
  expect(() => postgresStore(options as never)).not.toThrow()
})

test.each<[unknown, object, string]>([
  [undefined, {}, 'invalid_option: pool must have connect()'],
  [{ query }, {}, 'invalid_option: pool must have connect()'],
  [client, {}, noPool],
  [pool, { schema: 'a.b' }, badSchema],
  [pool, { schemas: 'a' }, 'unknown_option'],
  [pool, { onWait: 'log' }, 'invalid_option: onWait must be a function'],
  [pool, { patienceSeconds: -1 }, 'invalid_option: patienceSeconds must be zero or more seconds'],
  [pool, { patienceSeconds: Number.NaN }, 'invalid_option: patienceSeconds must be zero or more seconds'],
])('migratePostgres rejects %j with %j', async (given, options, message) => {
  await expect(migratePostgres(given as never, options)).rejects.toThrow(message)
})

test('the migrations are numbered from 1, for the schema that is given', () => {
  const numbers = postgresMigrations().map(({ version }) => version)
  expect(numbers).toEqual(numbers.map((_, i) => i + 1))
  for (const { sql } of postgresMigrations('other')) {
    expect(sql).toContain('"other".')
    expect(sql).not.toContain('webhook_inbox')
  }
  for (const { sql } of postgresMigrations()) {
    expect(sql).toContain('"webhook_inbox".')
  }
})
