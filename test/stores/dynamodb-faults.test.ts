import type { DynamoDB, GetItemCommandInput } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type DynamoClient, dynamoLeases, dynamoStore } from '../../src/stores/dynamodb.js'
import { createTable, type Disturb, type DynamoServer, startDynamo } from '../servers/dynamodb.js'

const table = 'webhook-inbox'
let server: DynamoServer
let client: DynamoDB

beforeAll(async () => {
  server = await startDynamo()
  client = server.connect({ maxAttempts: 1 })
  await createTable(client, table)
})
afterAll(() => server?.close())
afterEach(() => {
  server.disturb()
  vi.useRealTimers()
})

const held = async (key: string, seconds = 60) => {
  const claim = await dynamoLeases({ client, table }).claim(key, seconds)
  return (claim as { token: string }).token
}

/** DynamoDB answers these operations with an error. */
const reject = (type: string, operations = ['GetItem', 'UpdateItem']): Disturb => {
  return (operation, answer) => {
    if (!operations.includes(operation)) {
      return 'pass'
    }
    answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
    answer.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'no' }))
    return 'answered'
  }
}

describe('an error of DynamoDB', () => {
  test.each<[string, (leases: ReturnType<typeof dynamoLeases>) => unknown]>([
    ['claim an event', (leases) => leases.claim('key', 60)],
    ['extend a claim', (leases) => leases.extend('key', 'token', 60)],
    ['mark an event done', (leases) => leases.complete('key', 'token', 'hash', 60)],
    ['release a claim', (leases) => leases.release('key', 'token')],
    ['answer', (leases) => leases.check()],
  ])('says that it could not %s', async (doing, ask) => {
    server.disturb(reject('ThrottlingException'))
    await expect(ask(dynamoLeases({ client, table }))).rejects.toMatchObject({
      name: 'StoreError',
      reason: 'busy',
      message: expect.stringContaining(
        `DynamoDB could not ${doing} (ThrottlingException: no); likely cause:`,
      ),
      cause: { name: 'ThrottlingException' },
    })
  })

  test.each(['GetItem', 'UpdateItem'])('is found by check() if only %s is denied', async (operation) => {
    server.disturb(reject('AccessDeniedException', [operation]))
    await expect(dynamoStore({ client, table }).check()).rejects.toMatchObject({ reason: 'denied' })
  })

  test.each(['ResourceNotFoundException', 'ValidationException'])(
    'as %s makes check() say how to create the table',
    async (type) => {
      server.disturb(reject(type))
      await expect(dynamoStore({ client, table }).check()).rejects.toMatchObject({
        code: 'store_not_migrated',
        detail: `this region has no table ${table} with the partition key event_key, a string, and no sort key; create it`,
        cause: { name: type },
      })
    },
  )

  test.each([undefined, null, 'down'])('may be no error at all: %s', async (thrown) => {
    const odd = { getItem: () => Promise.reject(thrown), updateItem: () => Promise.reject(thrown) }
    await expect(dynamoLeases({ client: odd, table }).claim('key', 60)).rejects.toMatchObject({
      message: expect.stringContaining(`DynamoDB could not claim an event (${thrown}); likely cause: it is`),
    })
  })
})

describe('a claim that finds another one', () => {
  /** A client on which something happens between the write of a claim and its read. */
  const between = (happens: () => unknown): DynamoClient => ({
    updateItem: (input) => client.updateItem(input),
    async getItem(input) {
      await happens()
      return await client.getItem(input)
    },
  })
  const ended = { state: 'leased', remainingSeconds: 0 }

  test('that is released meanwhile may be repeated immediately', async () => {
    const token = await held('released')
    const late = between(() => dynamoLeases({ client, table }).release('released', token))
    expect(await dynamoLeases({ client: late, table }).claim('released', 60)).toEqual(ended)
  })

  test('that ends meanwhile may be repeated immediately', async () => {
    await held('ended')
    const late = between(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 }))
    expect(await dynamoLeases({ client: late, table }).claim('ended', 60)).toEqual(ended)
  })

  test('that DynamoDB deletes meanwhile may be repeated immediately', async () => {
    await held('deleted')
    const late = between(async () => {
      for (const { event_key } of (await client.scan({ TableName: table })).Items ?? []) {
        await client.deleteItem({ TableName: table, Key: { event_key: event_key as { S: string } } })
      }
    })
    expect(await dynamoLeases({ client: late, table }).claim('deleted', 60)).toEqual(ended)
  })

  test('reads it consistently, because an older copy may show no claim', async () => {
    const reads: GetItemCommandInput[] = []
    const watched: DynamoClient = {
      updateItem: (input) => client.updateItem(input),
      getItem(input) {
        reads.push(input)
        return client.getItem(input)
      },
    }
    await held('consistent')
    await dynamoLeases({ client: watched, table }).claim('consistent', 60)
    expect(reads).toMatchObject([{ ConsistentRead: true }])
  })
})

describe('a time', () => {
  const itemOf = async (token: string) =>
    (await client.scan({ TableName: table })).Items?.find(({ claim_token }) => claim_token?.S === token)

  test('is never cut: DynamoDB deletes a done event after its retention', async () => {
    const now = 1_800_000_000_500
    vi.useFakeTimers({ toFake: ['Date'], now })
    const token = await held('whole')
    await dynamoLeases({ client, table }).complete('whole', token, 'hash', 3600)
    expect(Number((await itemOf(token))?.forget_at?.N)).toBe(1_800_003_601)
  })

  test('is at most as long as DynamoDB can keep it', async () => {
    const token = await held('long', Number.MAX_VALUE)
    const found = await dynamoLeases({ client, table }).claim('long', 60)
    expect(found).toMatchObject({ state: 'leased' })
    expect((found as { remainingSeconds: number }).remainingSeconds).toBeGreaterThan(1000 * 365 * 86_400)
    const leases = dynamoLeases({ client, table })
    expect(await leases.complete('long', token, 'hash', Number.MAX_VALUE)).toBe(true)
  })
})

test('prune deletes nothing, because DynamoDB does', async () => {
  expect(await dynamoStore({ client, table }).prune(new Date(), 10)).toBe(0)
})

const isNoClient = 'client must be a DynamoDB of @aws-sdk/client-dynamodb, not a DynamoDBClient'

test.each<[object, string]>([
  [{ client: {}, table }, isNoClient],
  [{ client: { getItem() {} }, table }, isNoClient],
  [{ client: { updateItem() {} }, table }, isNoClient],
  [{ client: {}, table: '' }, isNoClient],
  [{ client: 'usable', table: '' }, 'table must be the name of a table'],
  [{ client: 'usable', table: 1 }, 'table must be the name of a table'],
  [
    { client: 'usable', table, prefix: 'x' },
    'prefix is not an option of dynamoStore; there are client, table',
  ],
  [{ client: 'unreadable', table }, 'client must be readable'],
])('the options %j are rejected', (options, detail) => {
  const unreadable = {
    get getItem() {
      throw new Error('no')
    },
  }
  const { client: given } = options as { client: unknown }
  const instead = { usable: client, unreadable }[given as string] ?? given
  expect(() => dynamoStore({ ...options, client: instead } as never)).toThrow(
    expect.objectContaining({ detail }),
  )
})
