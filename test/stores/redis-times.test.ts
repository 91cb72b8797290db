import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisLeases, redisStore } from '../../src/stores/redis.js'
import { freshKey } from '../../src/testing/laws.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let server: RedisServer
let admin: Redis
beforeAll(async () => {
  server = await startRedis()
  admin = connect(server.port)
})
afterAll(() => server.close())

describe('a time', () => {
  test('is never cut, not even by a part of a millisecond', async () => {
    const key = freshKey()
    await redisLeases({ client: admin }).claim(key, 0.0011)
    expect(await admin.hget(`webhook-inbox:${key}`, 's')).toBe('2')
  })

  test('that is longer than Redis can keep is shortened', async () => {
    const leases = redisLeases({ client: admin })
    const key = freshKey()
    const { token } = (await leases.claim(key, Number.MAX_VALUE)) as { token: string }
    expect(await leases.extend(key, token, Number.MAX_VALUE)).toBe(true)
    expect(await leases.complete(key, token, 'hash', Number.MAX_VALUE)).toBe(true)
    expect(await admin.pttl(`webhook-inbox:${key}`)).toBeGreaterThan(1000 * 365 * 86_400_000)
  })

  test('of 0 keeps no event forever', async () => {
    const leases = redisLeases({ client: admin })
    const key = freshKey()
    const { token } = (await leases.claim(key, 60)) as { token: string }
    expect(await leases.complete(key, token, 'hash', 0)).toBe(true)
    await expect.poll(() => admin.exists(`webhook-inbox:${key}`), { timeout: 10_000 }).toBe(0)
  })

  test('of an extended claim includes the month for which its attempts are kept', async () => {
    const leases = redisLeases({ client: admin })
    const key = freshKey()
    const { token } = (await leases.claim(key, 60)) as { token: string }
    await leases.extend(key, token, 600)
    const days = (await admin.pttl(`webhook-inbox:${key}`)) / 86_400_000
    expect(days).toBeGreaterThan(30)
    expect(days).toBeLessThan(30.01)
  })
})

test('prune deletes nothing, because Redis does', async () => {
  expect(await redisStore({ client: admin }).prune(new Date(), 10)).toBe(0)
})
