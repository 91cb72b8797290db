import { Client } from 'pg'
import { expect, test } from 'vitest'
import { d1Store } from '../../src/stores/d1.js'
import { dynamoStore } from '../../src/stores/dynamodb.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { redisStore } from '../../src/stores/redis.js'

const work = () => {}

test.each<[string, () => unknown, string]>([
  ['a D1 database', () => d1Store({ database: { prepare: work } as never }), 'database must be the binding'],
  ['a DynamoDB', () => dynamoStore({ client: { getItem: work } as never, table: 'a' }), 'client must be a'],
  ['a pool', () => postgresStore({ pool: { connect: work } as never }), 'give either pool'],
  ['an ioredis client', () => redisStore({ client: { call: work } as never }), 'client must be an ioredis'],
])('%s with only the first of its methods is rejected', (_, build, detail) => {
  expect(build).toThrow(
    expect.objectContaining({ code: 'invalid_option', detail: expect.stringContaining(detail) }),
  )
})

test('a Client of pg instead of a Pool is rejected by its name', async () => {
  const rejection = expect.objectContaining({
    code: 'invalid_option',
    detail: 'pool is a Client of pg: give a Pool, as in new Pool({ connectionString })',
  })
  const pool = new Client() as never
  expect(() => postgresStore({ pool })).toThrow(rejection)
  await expect(migratePostgres(pool)).rejects.toEqual(rejection)
})
