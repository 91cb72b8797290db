import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisClient, redisLeases } from '../../src/stores/redis.js'
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

type Leases = ReturnType<typeof redisLeases>

const verbs: [string, (leases: Leases, key: string) => unknown][] = [
  ['claim an event', (leases, key) => leases.claim(key, 60)],
  ['extend a claim', (leases, key) => leases.extend(key, '1:token', 60)],
  ['mark an event done', (leases, key) => leases.complete(key, '1:token', 'hash', 60)],
  ['release a claim', (leases, key) => leases.release(key, '1:token')],
]

const login = async (name: string, ...rights: string[]) => {
  await admin.acl('SETUSER', name, 'on', '>pw', '~*', '+@all', ...rights)
  return connect(server.port, { username: name, password: 'pw', maxRetriesPerRequest: 1 })
}

/** A client whose commands have this end. */
const ending = (call: RedisClient['call']): RedisClient => ({ call, pipeline: () => admin.pipeline() })

describe('a verb that fails', () => {
  test.each(verbs)('says that Redis could not %s', async (doing, ask) => {
    const key = freshKey()
    await admin.set(`webhook-inbox:${key}`, 'of another program')
    await expect(ask(redisLeases({ client: admin }), key)).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringMatching(
        new RegExp(`Redis could not ${doing} \\(.*WRONGTYPE.*choose another prefix`),
      ),
    })
  })

  test.each(verbs)('says so too when the script must be sent again: it could not %s', async (doing, ask) => {
    const client = await login('no-eval', '-eval')
    await admin.script('FLUSH')
    await expect(ask(redisLeases({ client }), freshKey())).rejects.toMatchObject({
      reason: 'denied',
      message: expect.stringMatching(new RegExp(`Redis could not ${doing} \\(NOPERM`)),
    })
  })

  test.each([undefined, null, 'down'])('keeps what was thrown, even %s', async (thrown) => {
    const client = ending(() => Promise.reject(thrown))
    await expect(redisLeases({ client }).extend('key', '1:token', 60)).rejects.toMatchObject({
      message: expect.stringContaining(
        `Redis could not extend a claim (${thrown}); likely cause: it is down`,
      ),
    })
  })

  test.each([new Error('Connection is closed.'), 'down'])(
    'is sent once only, because nobody knows what was executed: %s',
    async (thrown) => {
      const sent: string[] = []
      const client = ending(async (command) => {
        sent.push(command)
        throw thrown
      })
      await expect(redisLeases({ client }).complete('key', '1:token', 'hash', 60)).rejects.toThrow('mark')
      expect(sent).toEqual(['evalsha'])
    },
  )

  test('sends nothing more when the server has rejected a claim', async () => {
    const key = freshKey()
    await admin.set(`webhook-inbox:${key}`, 'of another program')
    const sent: string[] = []
    const client = ending((command, ...args) => {
      sent.push(command)
      return admin.call(command, ...args)
    })
    const claim = () => redisLeases({ client }).claim(key, 60)
    await expect(claim()).rejects.toThrow('WRONGTYPE')
    sent.length = 0
    await expect(claim()).rejects.toThrow('WRONGTYPE')
    // A claim whose fate is unknown is released immediately.
    expect(sent).toEqual(['evalsha'])
  })
})

test('check asks for a socketTimeout where a client tells none of its options', async () => {
  const client = ending((command, ...args) => admin.call(command, ...args))
  const guarantee = await redisLeases({ client, allowVolatile: true }).check?.()
  expect(guarantee?.warnings).toContainEqual(expect.stringContaining('has no socketTimeout'))
})

describe('WAIT', () => {
  test('is not needed without minReplicas', async () => {
    const leases = redisLeases({ client: await login('no-wait', '-wait') })
    const key = freshKey()
    const { token } = (await leases.claim(key, 60)) as { token: string }
    expect(await leases.complete(key, token, 'hash', 60)).toBe(true)
  })

  test('is not needed to extend or release a claim', async () => {
    const key = freshKey()
    const { token } = (await redisLeases({ client: admin }).claim(key, 60)) as { token: string }
    const leases = redisLeases({ client: admin, minReplicas: 1, replicaTimeoutSeconds: 0.05 })
    expect(await leases.extend(key, token, 60)).toBe(true)
    await expect(leases.complete(key, token, 'hash', 60)).rejects.toThrow(
      '0 of 1 replicas had the write after 0.05 s',
    )
    expect(await leases.release(key, token)).toBe(false)
  })

  test('that is forbidden is no lack of replicas', async () => {
    const leases = redisLeases({ client: await login('no-wait', '-wait'), minReplicas: 1 })
    await expect(leases.claim(freshKey(), 60)).rejects.toMatchObject({
      reason: 'denied',
      message: expect.stringMatching(/NOPERM.*'wait'/),
    })
  })

  test('ends even if its time is less than a millisecond', async () => {
    const leases = redisLeases({ client: admin, minReplicas: 1, replicaTimeoutSeconds: 0.0001 })
    await expect(leases.claim(freshKey(), 60)).rejects.toThrow('0 of 1 replicas')
  })

  test('of a key that has moved to another master is sent again, after one command has followed it', async () => {
    const sent: string[] = []
    const moved = Object.assign(new Error('MOVED 3999 127.0.0.1:6381'), { name: 'ReplyError' })
    const client: RedisClient = {
      async call(command) {
        sent.push(command)
      },
      pipeline: () => ({
        call: (command) => sent.push(command),
        exec: async () =>
          sent.includes('exists')
            ? [
                [null, ['claimed', 1]],
                [null, 1],
              ]
            : [
                [moved, null],
                [null, 0],
              ],
      }),
    }
    expect(await redisLeases({ client, minReplicas: 1 }).claim('key', 60)).toMatchObject({ state: 'claimed' })
    expect(sent).toEqual(['evalsha', 'wait', 'exists', 'evalsha', 'wait'])
  })

  test.each([[null], [[]], [[[null, ['claimed', 1]]]]])(
    'without a reply is an error: %j',
    async (replies) => {
      const client: RedisClient = {
        call: () => Promise.reject(new Error('down')),
        pipeline: () => ({ call() {}, exec: async () => replies as [null, unknown][] | null }),
      }
      await expect(redisLeases({ client, minReplicas: 1 }).claim('key', 60)).rejects.toThrow(
        'Redis could not claim an event (the pipeline was discarded)',
      )
    },
  )
})

test('a claim without a reply is released when Redis is back after its first tries failed', async () => {
  const key = freshKey()
  let isDown = false
  const client = ending(async (name, ...args) => {
    if (isDown) {
      throw new Error('Connection is closed.')
    }
    const reply = await admin.call(name, ...args)
    if (Array.isArray(reply) && reply[0] === 'claimed') {
      isDown = true
      setTimeout(() => {
        isDown = false
      }, 200)
      throw new Error('Connection is closed.')
    }
    return reply
  })
  await expect(redisLeases({ client }).claim(key, 600)).rejects.toMatchObject({ reason: 'unavailable' })
  const leases = redisLeases({ client: admin })
  await expect
    .poll(() => leases.claim(key, 600), { timeout: 10_000 })
    .toMatchObject({ state: 'claimed', attempt: 2 })
})
