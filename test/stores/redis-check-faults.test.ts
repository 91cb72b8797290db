import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RedisClient, redisStore } from '../../src/stores/redis.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let server: RedisServer
let admin: Redis
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes' })
  admin = connect(server.port)
})
afterEach(() => admin.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction'))
afterAll(() => server.close())

const login = async (name: string, ...rights: string[]) => {
  await admin.acl('SETUSER', name, 'on', '>pw', '~*', '+@all', ...rights)
  return connect(server.port, { username: name, password: 'pw', maxRetriesPerRequest: 1 })
}

/** A client whose commands have this end. */
const ending = (call: RedisClient['call']): RedisClient => ({ call, pipeline: () => admin.pipeline() })

describe('a check that fails', () => {
  const check = (client: RedisClient) => redisStore({ client }).check()

  test('at the maxmemory is an outage that says so', async () => {
    await admin.config('SET', 'maxmemory', '1')
    await expect(check(admin)).rejects.toMatchObject({
      name: 'StoreError',
      reason: 'full',
      message: expect.stringContaining('raise maxmemory'),
    })
  })

  test('without a right names the right', async () => {
    await expect(check(await login('no-pexpire', '-pexpire'))).rejects.toMatchObject({
      code: 'store_unsupported',
      detail: expect.stringMatching(
        /^Redis does not let the store work \(.*\); likely cause: the ACL of its user; fix: allow \+@scripting/,
      ),
      cause: { name: 'ReplyError' },
    })
  })

  test('without the password says what it could not do', async () => {
    const locked = await startRedis({ requirepass: 'pw' })
    try {
      const client = connect(locked.port, { maxRetriesPerRequest: 1, enableReadyCheck: false })
      await expect(check(client)).rejects.toMatchObject({
        reason: 'denied',
        message: expect.stringContaining('Redis could not be asked what it keeps (NOAUTH'),
      })
    } finally {
      await locked.close()
    }
  })

  test('because nothing answers ends after 5 s', async () => {
    const frozen = await startRedis()
    const client = connect(frozen.port)
    await client.ping()
    frozen.pause()
    try {
      await expect(check(client)).rejects.toMatchObject({
        message: expect.stringContaining(
          'the Redis of redisStore did not answer within 5 s; likely cause: it is down',
        ),
        cause: undefined,
      })
    } finally {
      frozen.resume()
      await frozen.close()
    }
  })

  test('because a key never used is taken says so', async () => {
    const client = ending(async (name, ...args) =>
      name === 'evalsha' ? ['leased', 1000] : await admin.call(name, ...args),
    )
    await expect(check(client)).rejects.toThrow('a key never used before is taken')
  })

  /** A client that reports an error during the check. */
  const reporting = (reported: Error, call: RedisClient['call']): RedisClient => ({
    ...ending(call),
    on: (_, listener) => listener(reported),
  })
  const answer: RedisClient['call'] = (name, ...args) => admin.call(name, ...args)

  test('for its settings says so, although the client has reported an error', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(check(reporting(new Error('flaky'), answer))).rejects.toMatchObject({ code: 'store_evicts' })
  })

  test('for its memory says so, although the client has reported an error', async () => {
    await admin.config('SET', 'maxmemory', '1')
    await expect(check(reporting(new Error('flaky'), answer))).rejects.toMatchObject({ reason: 'full' })
  })

  const withCode = Object.assign(new Error(), { code: 'ECONNRESET' })

  test.each<[Error, string]>([
    [new Error('connect ECONNREFUSED'), 'connect ECONNREFUSED'],
    [withCode, 'ECONNRESET'],
    [new RangeError(), 'RangeError'],
  ])('after the client reported %s names it', async (reported, words) => {
    const gaveUp = reporting(reported, () => Promise.reject(new Error('Reached the max retries')))
    await expect(check(gaveUp)).rejects.toMatchObject({
      message: expect.stringContaining(
        `the Redis of redisStore did not answer (${words}); likely cause: it is down`,
      ),
      cause: reported,
    })
  })
})
