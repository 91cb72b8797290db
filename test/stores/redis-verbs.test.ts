import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { type RedisClient, redisLeases, redisStore } from '../../src/stores/redis.js'
import { freshKey } from '../../src/testing/laws.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()
const day = 86_400

let server: RedisServer
let admin: Redis
beforeAll(async () => {
  server = await startRedis()
  admin = connect(server.port)
})
afterEach(() => admin.config('SET', 'maxmemory', '0'))
afterAll(() => server.close())

async function claimed(leases: ReturnType<typeof redisLeases>, key: string, seconds = 60) {
  const claim = await leases.claim(key, seconds)
  if (claim.state !== 'claimed') {
    throw new Error(claim.state)
  }
  return claim
}

test('accepts a Redis and a Cluster of both major versions of ioredis', () => {
  const lazy = { lazyConnect: true }
  const clients: RedisClient[] = [
    new Redis(lazy),
    new Redis5(lazy),
    new Cluster(['127.0.0.1'], lazy),
    new Cluster5(['127.0.0.1'], lazy),
  ]
  for (const client of clients) {
    expect(() => redisStore({ client })).not.toThrow()
  }
})

describe('in Redis', () => {
  test('an event is one key, which expires after its retention', async () => {
    const leases = redisLeases({ client: admin, prefix: 'shape:' })
    const key = freshKey()
    const { token } = await claimed(leases, key, 60)
    // An abandoned key keeps its attempt count for 30 days, and then expires.
    const abandoned = await admin.pttl(`shape:${key}`)
    expect(abandoned / 1000).toBeGreaterThan(30 * day)
    expect(abandoned / 1000).toBeLessThanOrEqual(30 * day + 60)

    await leases.complete(key, token, 'f'.repeat(64), 90 * day)
    const remembered = await admin.pttl(`shape:${key}`)
    expect(remembered / 1000).toBeGreaterThan(89 * day)
    expect(remembered / 1000).toBeLessThanOrEqual(90 * day)
    expect(await admin.keys('shape:*')).toEqual([`shape:${key}`])
  })

  test('a done event needs less than 400 bytes', async () => {
    const leases = redisLeases({ client: admin })
    const key = freshKey()
    await leases.complete(key, (await claimed(leases, key)).token, 'f'.repeat(64), 90 * day)
    expect(await admin.memory('USAGE', `webhook-inbox:${key}`)).toBeLessThan(400)
  })

  test('an event is free after its retention', async () => {
    const leases = redisLeases({ client: admin })
    const key = freshKey()
    await leases.complete(key, (await claimed(leases, key)).token, 'hash', 0.2)
    expect((await leases.claim(key, 60)).state).toBe('done')
    await expect.poll(async () => (await leases.claim(key, 60)).state, { timeout: 10_000 }).toBe('claimed')
  })

  test('different prefixes separate stores', async () => {
    const key = freshKey()
    await claimed(redisLeases({ client: admin, prefix: 'a:' }), key)
    await claimed(redisLeases({ client: admin, prefix: 'b:' }), key)
  })

  test('a lease of centuries is cut to a valid length', async () => {
    const leases = redisLeases({ client: admin })
    const { token } = await claimed(leases, freshKey(), 1e12)
    expect(token).toMatch(/^1:/)
  })

  test('a key that another program wrote is an error that says so', async () => {
    const key = freshKey()
    await admin.set(`webhook-inbox:${key}`, 'mine')
    const claiming = redisLeases({ client: admin }).claim(key, 60)
    const error = await Promise.resolve(claiming).then(String, (reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).message).toMatch(/WRONGTYPE.*fix: choose another prefix/)
  })
})

describe('a claim', () => {
  test('that ioredis repeats after a lost reply is the same claim', async () => {
    const key = freshKey()
    let isLost = false
    // The server runs the command, and the connection breaks before the reply. Then ioredis repeats the command.
    const client: RedisClient = {
      pipeline: () => admin.pipeline(),
      call: async (name, ...args) => {
        const reply = await admin.call(name, ...args)
        if (Array.isArray(reply) && reply[0] === 'claimed' && !isLost) {
          isLost = true
          return await admin.call(name, ...args)
        }
        return reply
      },
    }
    await claimed(redisLeases({ client: admin }), freshKey())
    const leases = redisLeases({ client })
    const claim = await claimed(leases, key)
    expect([isLost, claim.attempt]).toEqual([true, 1])
    expect(await leases.complete(key, claim.token, 'hash', 60)).toBe(true)
  })

  test('without a reply is released as soon as Redis is back', async () => {
    const key = freshKey()
    const client: RedisClient = {
      pipeline: () => admin.pipeline(),
      call: async (name, ...args) => {
        const reply = await admin.call(name, ...args)
        if (Array.isArray(reply) && reply[0] === 'claimed') {
          throw new Error('Connection is closed.')
        }
        return reply
      },
    }
    await expect(redisLeases({ client }).claim(key, 600)).rejects.toThrow(StoreError)
    const leases = redisLeases({ client: admin })
    await expect
      .poll(() => leases.claim(key, 600), { timeout: 10_000 })
      .toMatchObject({ state: 'claimed', attempt: 2 })
  })
})

test('scripts that the server has lost are sent again', async () => {
  const leases = redisLeases({ client: admin })
  const key = freshKey()
  for (let attempt = 1; attempt <= 3; attempt++) {
    await admin.script('FLUSH')
    const { token } = await claimed(leases, key)
    await admin.script('FLUSH')
    expect(await leases.extend(key, token, 60)).toBe(true)
    await admin.script('FLUSH')
    expect(await leases.release(key, token)).toBe(true)
  }
  const { token, attempt } = await claimed(leases, key)
  expect(attempt).toBe(4)
  await admin.script('FLUSH')
  expect(await leases.complete(key, token, 'hash', 60)).toBe(true)
})

describe('a compatible client', () => {
  test.each([
    ['RESP2', { protocol: 2 as const }],
    ['numbers as strings', { stringNumbers: true }],
    ['a key prefix of its own', { keyPrefix: 'app:' }],
    ['automatic pipelines', { enableAutoPipelining: true }],
    ['another database', { db: 3 }],
    ['no offline queue', { enableOfflineQueue: false, lazyConnect: true }],
  ])('with %s', async (_, options) => {
    const client = connect(server.port, options)
    if ('lazyConnect' in options) {
      await client.connect()
    }
    const store = redisStore({ client, allowVolatile: true })
    expect((await store.check()).store).toMatch(/^redis \d/)
    const leases = redisLeases({ client })
    const key = freshKey()
    const { token } = await claimed(leases, key)
    const busy = await leases.claim(key, 60)
    expect(busy.state === 'leased' && busy.remainingSeconds > 50).toBe(true)
    expect(await leases.extend(key, token, 60)).toBe(true)
    expect(await leases.release(key, token)).toBe(true)
    const second = await claimed(leases, key)
    expect(second.attempt).toBe(2)
    expect(await leases.complete(key, second.token, 'hash', 60)).toBe(true)
    expect(await leases.claim(key, 60)).toEqual({ state: 'done', contentHash: 'hash' })
  })
})

test('at its maxmemory Redis rejects new claims, but existing ones can be extended, completed and released', async () => {
  const leases = redisLeases({ client: admin })
  const [completed, released, failed] = [freshKey(), freshKey(), freshKey()]
  const [first, second] = [await claimed(leases, completed), await claimed(leases, released)]
  const third = await claimed(leases, failed)
  await leases.release(failed, third.token)
  await admin.config('SET', 'maxmemory', '1')

  for (const key of [freshKey(), failed]) {
    const error = await Promise.resolve(leases.claim(key, 60)).then(String, (reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).message).toMatch(/OOM.*fix: raise maxmemory/)
  }
  expect(await leases.extend(completed, first.token, 120)).toBe(true)
  const busy = await leases.claim(completed, 60)
  expect(busy.state === 'leased' && busy.remainingSeconds > 60).toBe(true)
  expect(await leases.complete(completed, first.token, 'hash', 60)).toBe(true)
  expect(await leases.complete(completed, first.token, 'hash', 60)).toBe(true)
  expect(await leases.release(released, second.token)).toBe(true)
  expect(await leases.claim(completed, 60)).toEqual({ state: 'done', contentHash: 'hash' })

  await admin.config('SET', 'maxmemory', '0')
  expect((await claimed(leases, released)).attempt).toBe(2)
  expect((await claimed(leases, failed)).attempt).toBe(2)
})
