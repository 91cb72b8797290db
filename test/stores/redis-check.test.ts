import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationError, StoreError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { type RedisClient, redisStore } from '../../src/stores/redis.js'
import { freePort, type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let server: RedisServer
let admin: Redis
let client: Redis
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes' })
  admin = connect(server.port)
  client = connect(server.port, { socketTimeout: 5000 })
})
beforeEach(async () => {
  await admin.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction', 'save', '')
  await admin.config('SET', 'appendonly', 'yes', 'appendfsync', 'everysec')
})
afterAll(() => server.close())

const refusal = async (options: Parameters<typeof redisStore>[0]) => {
  const error = await redisStore(options)
    .check()
    .then(String, (reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigurationError)
  return error as ConfigurationError
}

describe('the guarantee of the redis store', () => {
  test('is described as text', async () => {
    expect(await redisStore({ client }).check()).toEqual({
      store: `redis ${/redis_version:(\S+)/.exec(await admin.info('server'))?.[1]}`,
      scope: 'every process on this Redis with the prefix webhook-inbox:',
      processCrash: 'yes',
      hostCrash: 'up to 2 s may be lost, because Redis appendfsync=everysec',
      runs: 'once, unless it fails, outlives its lease, or dies before the event is marked done',
      notes: [expect.stringContaining('appendfsync=always prevents that')],
      warnings: [],
    })
  })

  test.each([
    ['always', 'yes'],
    ['no', 'half a minute or so may be lost, because Redis appendfsync=no'],
  ])('follows appendfsync %s', async (fsync, words) => {
    await admin.config('SET', 'appendfsync', fsync)
    expect((await redisStore({ client }).check()).hostCrash).toBe(words)
  })

  test('depends on the snapshots if there is no append-only file', async () => {
    await admin.config('SET', 'appendonly', 'no', 'save', '3600 1 300 100')
    expect((await redisStore({ client }).check()).hostCrash).toBe(
      'what came after the last snapshot may be lost, because Redis appendonly=no and save=3600 1 300 100',
    )
  })

  test('is logged when a receiver starts', async () => {
    const lines: string[] = []
    const logger = { info: (line: string) => lines.push(line), warn() {}, error() {} }
    const receiver = createReceiver({
      secret: 'whsec_test_secret',
      store: redisStore({ client }),
      fallback() {},
      logger,
    })
    await receiver.start()
    expect(lines.join()).toContain('because Redis appendfsync=everysec')
    expect(receiver.describe()).toContain('a host crash: up to 2 s may be lost')
  })

  test('warns of a client that would not notice a connection cut in silence', async () => {
    const { warnings } = await redisStore({ client: admin }).check()
    expect(warnings).toContainEqual(expect.stringContaining('the client has no socketTimeout'))
  })
})

describe('the redis store rejects', () => {
  test.each(['allkeys-lru', 'volatile-ttl', 'allkeys-random'])('a Redis that evicts (%s)', async (policy) => {
    await admin.config('SET', 'maxmemory-policy', policy)
    const error = await refusal({ client })
    expect(error.code).toBe('store_evicts')
    expect(error.message).toMatch(new RegExp(`${policy}.*likely cause: .*fix: .*allowVolatile`))
  })

  test('a Redis that writes nothing to disk', async () => {
    await admin.config('SET', 'appendonly', 'no')
    const error = await refusal({ client })
    expect(error.code).toBe('store_volatile')
    expect(error.message).toMatch(/writes nothing to disk.*likely cause: .*fix: .*allowVolatile/)
  })

  test('but accepts it with allowVolatile, and describes the loss', async () => {
    await admin.config('SET', 'appendonly', 'no', 'maxmemory-policy', 'allkeys-lru')
    const guarantee = await redisStore({ client, allowVolatile: true }).check()
    expect(guarantee.hostCrash).toBe('no, because Redis writes nothing to disk')
    expect(guarantee.runs).toContain('or Redis evicts the event (maxmemory-policy=allkeys-lru)')
  })

  test('a Redis older than 6.2, even with allowVolatile', async () => {
    // No such server is available, so this one reports an older version.
    const old: RedisClient = {
      pipeline: () => client.pipeline(),
      call: async (name, ...args) => {
        const reply = await client.call(name, ...args)
        return name === 'info' ? String(reply).replace(/redis_version:\S+/, 'redis_version:6.0.16') : reply
      },
    }
    expect((await refusal({ client: old, allowVolatile: true })).code).toBe('store_unsupported')
  })
})

describe('a managed Redis', () => {
  const login = async (name: string, ...rights: string[]) => {
    await admin.acl('SETUSER', name, 'on', '>pw', '~webhook-inbox:*', ...rights)
    return connect(server.port, { username: name, password: 'pw' })
  }

  test('that forbids CONFIG is checked by INFO', async () => {
    const store = redisStore({ client: await login('no-config', '+@all', '-config') })
    const { store: name, hostCrash } = await store.check()
    expect(name).toMatch(/^redis \d/)
    expect(hostCrash).toBe('a second or more may be lost; Redis does not tell its appendfsync')
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lfu')
    await expect(store.check()).rejects.toMatchObject({ code: 'store_evicts' })
  })

  test('that forbids CONFIG and has no append-only file is rejected, because its snapshots are unknown', async () => {
    await admin.config('SET', 'appendonly', 'no', 'save', '3600 1')
    const error = await refusal({ client: await login('no-config', '+@all', '-config') })
    expect(error.code).toBe('store_volatile')
    expect(error.message).toMatch(/does not tell whether it writes to disk.*fix: allow.*allowVolatile: true/)
  })

  test('that forbids CONFIG and INFO is rejected unless allowVolatile is set, and the guarantee says so', async () => {
    const mute = await login('mute', '+@all', '-config', '-info')
    expect((await refusal({ client: mute })).code).toBe('store_volatile')
    const { hostCrash, runs } = await redisStore({ client: mute, allowVolatile: true }).check()
    expect(hostCrash).toBe('not known, because Redis does not tell whether it writes to disk')
    expect(runs).toContain('maxmemory-policy=not told')
  })

  test.each([
    ['scripts', '-@scripting'],
    ['hashes', '-@hash'],
    ['TIME', '-time'],
    ['PEXPIRE', '-pexpire'],
  ])('whose user may not use %s is rejected at the start, not at the first delivery', async (_, right) => {
    const name = `without${right}`
    const error = await refusal({ client: await login(name, '+@all', right) })
    expect(error.code).toBe('store_unsupported')
    expect(error.message).toMatch(/fix: allow/)
  })

  test('whose user has no access to the prefix is rejected on start', async () => {
    const narrow = await login('narrow', '+@all')
    expect((await refusal({ client: narrow, prefix: 'elsewhere:' })).code).toBe('store_unsupported')
  })

  test.each([
    ['is missing', {}],
    ['is wrong', { password: 'no' }],
  ])(
    'whose password %s is an outage and no misconfiguration, because a rotation may be in progress',
    async (_, options) => {
      const locked = await startRedis({ appendonly: 'yes', requirepass: 'pw' })
      try {
        const stranger = connect(locked.port, { maxRetriesPerRequest: 1, ...options })
        const error = await redisStore({ client: stranger })
          .check()
          .then(String, (reason: unknown) => reason)
        expect(error).toBeInstanceOf(StoreError)
      } finally {
        await locked.close()
      }
    },
  )
})

test('a Redis that is down is an outage', async () => {
  const store = redisStore({ client: connect(await freePort(), { maxRetriesPerRequest: 1 }) })
  const error = (await store.check().then(String, (reason: unknown) => reason)) as StoreError
  expect(error).toBeInstanceOf(StoreError)
  expect(error.code).toBe('store_unavailable')
  expect(error.cause).toBeInstanceOf(Error)
  expect(error.message).toMatch(/the Redis of redisStore did not answer .*likely cause: .*fix: /)
})

describe('options of the redis store', () => {
  const options = (given: object) => () => redisStore({ client, ...given } as never)

  test('are rejected if unknown', () => {
    expect(options({ url: 'redis://' })).toThrow(expect.objectContaining({ code: 'unknown_option' }))
  })

  test.each([
    { client: undefined },
    { client: null },
    { client: 'redis://localhost' },
    { client: { sendCommand() {} } },
    { prefix: 1 },
    { allowVolatile: 'yes' },
    { minReplicas: -1 },
    { minReplicas: 1.5 },
    { minReplicas: Number.NaN },
    { replicaTimeoutSeconds: 0 },
    { replicaTimeoutSeconds: Number.POSITIVE_INFINITY },
  ])('that make no sense are rejected: %j', (given) => {
    expect(options(given)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  test('are required', () => {
    expect(() => redisStore(undefined as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })
})

test.each([
  ['that waits for ever', { maxRetriesPerRequest: null }],
  ['that gives up', { maxRetriesPerRequest: 1 }],
  ['that ioredis makes by default', {}],
])('start() with Redis down names the store and the cause, with a client %s', async (_, options) => {
  const down = connect(await freePort(), options)
  const receiver = createReceiver({
    secret: 'whsec_0123456789abcdef',
    store: redisStore({ client: down }),
    fallback: () => {},
    logger: false,
  })
  await expect(receiver.start()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/the Redis of redisStore .*ECONNREFUSED/),
    cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
  })
  await receiver.stop()
})
