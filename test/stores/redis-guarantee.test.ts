import type { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeRedis, type RedisClient, type RedisNode, redisStore } from '../../src/stores/redis.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let server: RedisServer
let other: RedisServer
let client: Redis
let second: Redis
beforeAll(async () => {
  server = await startRedis()
  other = await startRedis()
  client = connect(server.port, { socketTimeout: 5000 })
  second = connect(other.port, { socketTimeout: 5000 })
})
beforeEach(async () => {
  for (const each of [client, second]) {
    await each.config('SET', 'maxmemory-policy', 'noeviction', 'save', '')
    await each.config('SET', 'appendonly', 'yes', 'appendfsync', 'everysec')
  }
})
afterAll(async () => {
  await other.close()
  await server.close()
})

const check = (given: RedisClient, options = {}) => redisStore({ client: given, ...options }).check()

type Change = (command: string, args: readonly string[], reply: unknown) => unknown

/** A real server, some of whose replies are changed. */
const changed = (change: Change, on: Redis = client): RedisClient & RedisNode => ({
  options: { socketTimeout: 5000 },
  pipeline: () => on.pipeline(),
  call: async (command, ...args) => change(command, args, await on.call(command, ...args)),
})

const withInfo = (...lines: string[]) =>
  changed((command, _, reply) => (command === 'info' ? lines.join('\n') : reply))

/** Two servers in the place of two masters of a Cluster. */
const together = (...nodes: (RedisClient & RedisNode)[]): RedisClient => ({
  pipeline: () => client.pipeline(),
  call: (command, ...args) => client.call(command, ...args),
  nodes: (role) => (role === 'master' ? nodes : []),
})

const late = expect.stringContaining('appendfsync=always prevents that')

describe('the note on a slow disk', () => {
  test.each([
    ['yes', 'everysec', [late]],
    ['yes', 'always', []],
    ['yes', 'no', []],
    ['no', 'everysec', []],
  ])('with appendonly %s and appendfsync %s', async (appendOnly, fsync, notes) => {
    await client.config('SET', 'appendonly', appendOnly, 'appendfsync', fsync, 'save', '3600 1')
    expect((await check(client)).notes).toEqual(notes)
  })
})

describe('of several masters', () => {
  test.each([[() => together(client, second)], [() => together(second, client)]])(
    'the weakest one counts, whichever is first',
    async (cluster) => {
      await second.config('SET', 'appendfsync', 'no')
      expect(await check(cluster())).toMatchObject({
        store: expect.stringMatching(/^redis [\d.]+ cluster of 2 masters$/),
        scope: 'every process on this cluster with the prefix webhook-inbox:',
        hostCrash: 'half a minute or so may be lost, because Redis appendfsync=no',
        notes: [late],
        warnings: [],
      })
    },
  )

  test('each product is named', async () => {
    const valkey = withInfo('redis_version:7.2.4', 'valkey_version:8.1.0', 'a line without a value')
    const { store } = await check(together(valkey, valkey, withInfo('redis_version:7.4.1')))
    expect(store).toBe('valkey 8.1.0, redis 7.4.1 cluster of 3 masters')
  })

  test('one that evicts is named', async () => {
    await second.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const { runs } = await check(together(client, second), { allowVolatile: true })
    expect(runs).toMatch(/, or Redis evicts the event \(maxmemory-policy=allkeys-lru\)$/)
  })

  test('one without a socketTimeout is warned of', async () => {
    const { warnings } = await check(together(client, connect(server.port)))
    expect(warnings).toEqual([expect.stringContaining('the client has no socketTimeout')])
  })

  test('one with a replica is noted, with the number of replicas that must have an event', async () => {
    const info = ['redis_version:7.4.1', 'connected_slaves:1']
    const cluster = together(client, withInfo(...info))
    expect((await check(cluster)).notes).toEqual([
      late,
      'replication is asynchronous: a failover may forget the last events; minReplicas narrows that',
    ])
  })

  test('an outage says that they could not be reached', async () => {
    const down: RedisClient = {
      ...together(client),
      call: () => Promise.reject(new Error('Failed to refresh slots cache.')),
    }
    await expect(check(down)).rejects.toMatchObject({
      message: expect.stringContaining('Redis could not be reached (Failed to refresh slots cache.)'),
    })
  })
})

describe('the version of Redis', () => {
  test.each(['6.2', '6.2.0', '6.10.1', '7.0.15', '10.0.0'])('%s is supported', async (version) => {
    expect((await check(withInfo(`redis_version:${version}`))).store).toBe(`redis ${version}`)
  })

  test.each(['6.1.9', '5.9.0', '2.8.24', '6'])('%s is too old', async (version) => {
    await expect(check(withInfo(`redis_version:${version}`), { allowVolatile: true })).rejects.toMatchObject({
      code: 'store_unsupported',
      detail: `redis ${version} speaks as Redis ${version}; it is older than 6.2, which this store is made for; fix: upgrade it`,
    })
  })
})

describe('what the server does not tell', () => {
  const login = async (name: string, ...rights: string[]) => {
    await client.acl('SETUSER', name, 'on', '>pw', '~*', '+@all', ...rights)
    return connect(server.port, { username: name, password: 'pw', socketTimeout: 5000 })
  }
  const untold = (what: string) =>
    `does not tell ${what}; likely cause: a managed server forbids CONFIG and INFO; fix: allow its user CONFIG GET or ` +
    'INFO, or see to it that it has noeviction and persistence, then give allowVolatile: true'

  test('in INFO is known from CONFIG, but the version', async () => {
    expect(await check(await login('no-info', '-info'))).toMatchObject({
      store: 'redis',
      hostCrash: 'up to 2 s may be lost, because Redis appendfsync=everysec',
      notes: [late],
    })
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(check(await login('no-info', '-info'))).rejects.toMatchObject({ code: 'store_evicts' })
  })

  test('in a CONFIG that is disabled is known from INFO', async () => {
    const without: RedisClient = {
      ...changed((_command, _args, reply) => reply),
      call: (command, ...args) =>
        command === 'config'
          ? Promise.reject(new Error("ERR unknown command 'config'"))
          : client.call(command, ...args),
    }
    expect((await check(without)).hostCrash).toBe(
      'a second or more may be lost; Redis does not tell its appendfsync',
    )
  })

  test('of its policy is named', async () => {
    const mute = await login('mute', '-config', '-info')
    await expect(check(mute)).rejects.toMatchObject({
      code: 'store_volatile',
      detail: `redis ${untold('its maxmemory-policy')}`,
    })
  })

  const silentOn = (name: string, ...info: string[]) =>
    changed((command, args, reply) => {
      if (command === 'info') {
        return ['redis_version:7.4.1', ...info].join('\n')
      }
      return args.includes(name) ? [] : reply
    })

  test.each([
    ['appendonly', '3600 1'],
    ['appendonly', ''],
    ['save', ''],
  ])('of its disk is named, without %s and with the snapshots “%s”', async (name, save) => {
    await client.config('SET', 'save', save, 'appendonly', 'no')
    await expect(check(silentOn(name))).rejects.toMatchObject({
      code: 'store_volatile',
      detail: `redis 7.4.1 ${untold('whether it writes to disk')}`,
    })
  })

  test.each([
    ['appendonly', 'not known, because Redis does not tell whether it writes to disk'],
    ['save', 'not known, because Redis does not tell whether it writes to disk'],
    ['none', 'no, because Redis writes nothing to disk'],
  ])('is part of the guarantee with allowVolatile, without %s', async (name, words) => {
    await client.config('SET', 'appendonly', 'no')
    expect((await check(silentOn(name), { allowVolatile: true })).hostCrash).toBe(words)
  })
})

describe('a client reads the settings', () => {
  test.each([2 as const, 3 as const])('of ioredis with RESP%s', async (protocol) => {
    await client.config('SET', 'appendfsync', 'always')
    const { hostCrash } = await check(connect(server.port, { protocol, socketTimeout: 5000 }))
    expect(hostCrash).toBe('yes')
  })

  const map = { [RESP_TYPES.MAP]: Map }

  test.each([
    ['RESP2', { RESP: 2 as const }],
    ['RESP3', { RESP: 3 as const }],
    ['RESP3 and maps', { RESP: 3 as const, commandOptions: { typeMapping: map } }],
  ])('of node-redis with %s', async (_, options) => {
    const socket = { host: '127.0.0.1', port: server.port, socketTimeout: 5000 }
    const node = createClient({ socket, ...options })
    node.on('error', () => {})
    await node.connect()
    try {
      await client.config('SET', 'appendfsync', 'always')
      const listeners = node.listenerCount('error')
      const { hostCrash, warnings } = await check(nodeRedis(node as never))
      expect([hostCrash, warnings]).toEqual(['yes', []])
      expect(node.listenerCount('error')).toBe(listeners)
    } finally {
      node.destroy()
    }
  })
})

test('a check leaves nothing behind', async () => {
  const listeners = client.listenerCount('error')
  // Two concurrent checks, because each has a key of its own.
  await Promise.all([check(client), check(client)])
  expect(client.listenerCount('error')).toBe(listeners)
  await expect.poll(() => client.keys('webhook-inbox:check:*'), { timeout: 10_000 }).toEqual([])
})
