import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { type DynamoStoreOptions, dynamoLeases, dynamoStore } from '../../src/stores/dynamodb.js'
import { leaseSuite, storeSuite, testSender } from '../../src/testing/index.js'
import { createTable, type DynamoServer, startDynamo } from '../servers/dynamodb.js'
import { freePort } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'

const table = 'webhook-inbox'
const secret = 'whsec_of_the_function'
let server: DynamoServer
let client: DynamoDB

beforeAll(async () => {
  server = await startDynamo()
  client = server.connect()
  await createTable(client, table)
})
afterAll(() => server?.close())
afterEach(() => {
  server.disturb()
  vi.useRealTimers()
})

const leasesOf = (options: Partial<DynamoStoreOptions> = {}) => dynamoLeases({ client, table, ...options })

const isShort = !process.env.LONG
const reason = 'LONG=1 runs it; a thousand claims cost dynalite seconds of processor time'
const skipOf = (...tests: string[]) => (isShort ? [{ reason, tests }] : [])

describe('the verbs of the DynamoDB store', () => {
  leaseSuite(test, () => leasesOf(), {
    prunes: false,
    shortLeaseSeconds: 2,
    skip: skipOf(
      'a thousand concurrent claims have one winner',
      'a thousand keys are claimed concurrently, each with its own token',
      'unusual keys are different keys',
    ),
  })
})

describe('the DynamoDB store', () => {
  storeSuite(test, () => dynamoStore({ client, table }), {
    prunes: false,
    shortLeaseSeconds: 2,
    makeUnreachable: async () =>
      dynamoStore({ client: server.connect({ endpoint: `http://127.0.0.1:${await freePort()}` }), table }),
  })
})

describe('dynamoStore', () => {
  const itemOf = async () => (await client.scan({ TableName: table, ConsistentRead: true })).Items ?? []

  const receiverOn = (store = dynamoStore({ client, table })) => {
    let runs = 0
    const handlers = { 'transfer.settled': () => void runs++ }
    const receiver = createReceiver({ secret, store, handlers, logger: false })
    return { receiver, sender: testSender({ receiver, secret }), runs: () => runs }
  }

  it('runs an event once, and says so to a second function', async () => {
    const [first, second] = [receiverOn(), receiverOn()]
    const answer = await first.sender.send('transfer.settled')
    expect(answer.outcome).toBe('processed')
    expect(await second.sender.redeliver(answer)).toMatchObject({ outcome: 'duplicate' })
    expect([first.runs(), second.runs()]).toEqual([1, 0])
  })

  it('gives each of 50 keys to one of two processes', async () => {
    const program = await bundle(join(import.meta.dirname, 'dynamodb-process.ts'))
    const keys = Array.from({ length: 50 }, (_, i) => `race-${i}`)
    const processes = [1, 2].map(() => fork(program.path, [server.endpoint, table, ...keys]))
    try {
      await Promise.all(processes.map((each) => once(each, 'message')))
      const won = processes.map((each) => once(each, 'message') as Promise<[string[]]>)
      for (const each of processes) {
        each.send('go')
      }
      const [[here], [there]] = await Promise.all(won as [Promise<[string[]]>, Promise<[string[]]>])
      expect([...here, ...there].sort()).toEqual([...keys].sort())
    } finally {
      for (const each of processes) {
        each.kill()
      }
      program.remove()
    }
  })

  it('keeps a claim whose reply was lost, because the client repeats the request', async () => {
    let lost = 0
    server.disturb((operation) => (operation === 'UpdateItem' && lost++ === 0 ? 'drop the reply' : 'pass'))
    expect(await leasesOf().claim('lost reply', 60)).toMatchObject({ state: 'claimed', attempt: 1 })
    expect(lost).toBe(2)
  })

  it('answers 503 while DynamoDB throttles, and runs the event when it no longer does', async () => {
    const impatient = server.connect({ maxAttempts: 1 })
    const { sender, runs } = receiverOn(dynamoStore({ client: impatient, table }))
    server.disturb((_, answer) => {
      const type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'
      answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      answer.end(JSON.stringify({ __type: type, message: 'The level of provisioned throughput is exceeded' }))
      return 'answered'
    })
    const throttled = await sender.send('transfer.settled')
    expect(throttled).toMatchObject({ status: 503, code: 'store_unavailable' })
    await expect(leasesOf({ client: impatient }).extend('k', 't', 60)).rejects.toThrow(/too little capacity/)
    server.disturb()
    expect(await sender.redeliver(throttled)).toMatchObject({ outcome: 'processed' })
    expect(runs()).toBe(1)
  })

  it('answers 503 where a connection no longer answers', async () => {
    const requestHandler = { requestTimeout: 200, throwOnRequestTimeout: true }
    const patient = server.connect({ maxAttempts: 1, requestHandler })
    const { sender } = receiverOn(dynamoStore({ client: patient, table }))
    server.disturb(() => 'answered')
    expect(await sender.send('transfer.settled')).toMatchObject({ status: 503 })
  })

  it('frees a done event once its retention has passed, although DynamoDB has not deleted it', async () => {
    const leases = leasesOf()
    const claimed = await leases.claim('kept', 60)
    await leases.complete('kept', (claimed as { token: string }).token, 'hash', 1)
    expect(await leases.claim('kept', 60)).toEqual({ state: 'done', contentHash: 'hash' })
    const again = await vi.waitUntil(
      async () => {
        const found = await leases.claim('kept', 60)
        return found.state === 'claimed' && found
      },
      { timeout: 20_000 },
    )
    expect(again.attempt).toBe(2)
  })

  it('keeps an item small, and writes when DynamoDB may delete it in unix seconds', async () => {
    const leases = leasesOf()
    const key = 'k'.repeat(10_000)
    const claimed = await leases.claim(key, 60)
    const { token } = claimed as { token: string }
    const item = async () => (await itemOf()).find(({ claim_token }) => claim_token?.S === token) ?? {}
    const month = 30 * 86_400
    expect(Number((await item()).forget_at?.N) - Date.now() / 1000).toBeGreaterThan(month)
    await leases.complete(key, token, 'f'.repeat(64), 3600)
    const forgotten = Number((await item()).forget_at?.N) - Date.now() / 1000
    expect(forgotten).toBeGreaterThan(3500)
    expect(forgotten).toBeLessThan(3602)
    expect(JSON.stringify(await item()).length).toBeLessThan(1000)
  })

  it('takes over a live lease too early where the clock is ahead, and fences its holder', async () => {
    const leases = leasesOf()
    const holder = (await leases.claim('skew', 60)) as { token: string }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const ahead = await leasesOf().claim('skew', 60)
    expect(ahead).toMatchObject({ state: 'claimed', attempt: 2 })
    vi.useRealTimers()
    expect(await leases.complete('skew', holder.token, 'hash', 3600)).toBe(false)
    expect(await leases.complete('skew', (ahead as { token: string }).token, 'hash', 3600)).toBe(true)
  })

  it('names a table that is missing, and one with another key', async () => {
    await expect(dynamoStore({ client, table: 'absent' }).check()).rejects.toMatchObject({
      code: 'store_not_migrated',
    })
    await client.createTable({
      TableName: 'other-key',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    })
    await expect(dynamoStore({ client, table: 'other-key' }).check()).rejects.toMatchObject({
      code: 'store_not_migrated',
    })
  })

  it('leaves no item behind when it checks', async () => {
    const before = (await itemOf()).length
    expect(await dynamoStore({ client, table }).check()).toMatchObject({ store: 'DynamoDB' })
    expect(await itemOf()).toHaveLength(before)
  })

  it.each([[{}], [{ client: {}, table }], [{ client: 'x', table }], [undefined]])('rejects %j', (options) => {
    expect(() => dynamoStore(options as never)).toThrow(/client|options/)
  })

  it.each([[undefined], ['']])('rejects the table %j', (name) => {
    expect(() => dynamoStore({ client, table: name as string })).toThrow(/table/)
  })

  it('rejects an unknown option', () => {
    expect(() => dynamoStore({ client, table, prefix: 'x' } as never)).toThrow(
      expect.objectContaining({ code: 'unknown_option' }),
    )
  })
})
