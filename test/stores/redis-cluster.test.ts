import type { Redis } from 'ioredis'
import { Cluster as Cluster5 } from 'ioredis5'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisClient, redisLeases, redisStore } from '../../src/stores/redis.js'
import { eventually, freshKey } from '../../src/testing/laws.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { type RedisCluster, startRedisCluster } from '../servers/redis-cluster.js'
import { clientPool } from './redis-clients.js'

const { connect, join } = clientPool()

let cluster: RedisCluster
let client: RedisClient
let five: Cluster5
beforeAll(async () => {
  cluster = await startRedisCluster({ appendonly: 'yes' })
  client = join(cluster.ports)
  five = new Cluster5(cluster.ports.map((port) => ({ host: '127.0.0.1', port })))
})
afterAll(async () => {
  five.disconnect()
  await cluster.close()
})

describe('the redis store on a Cluster', () => {
  storeSuite(test, () => redisStore({ client }), { prunes: false })
})
describe('its verbs', () => leaseSuite(test, () => redisLeases({ client }), { prunes: false }))
describe('its verbs on ioredis 5', () =>
  leaseSuite(test, () => redisLeases({ client: five }), { prunes: false }))
describe('its verbs in automatic pipelines', () => {
  leaseSuite(test, () => redisLeases({ client: join(cluster.ports, { enableAutoPipelining: true }) }), {
    prunes: false,
  })
})

test('the guarantee is the one of the weakest master', async () => {
  const { store, scope, hostCrash } = await redisStore({ client }).check()
  expect(store).toMatch(/^redis \S+ cluster of 3 masters$/)
  expect(scope).toContain('every process on this cluster')
  expect(hostCrash).toContain('appendfsync=everysec')
  const weak = connect(cluster.ports[2] as number)
  try {
    await weak.config('SET', 'appendfsync', 'no')
    expect((await redisStore({ client }).check()).hostCrash).toContain('appendfsync=no')
    await weak.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(redisStore({ client }).check()).rejects.toMatchObject({ code: 'store_evicts' })
  } finally {
    await weak.config('SET', 'appendfsync', 'everysec', 'maxmemory-policy', 'noeviction')
  }
})

test('a slot that moves keeps its events, also with a WAIT after each write', async () => {
  const key = freshKey()
  const name = `webhook-inbox:${key}`
  const nodes = cluster.ports.map((port) => connect(port))
  const slot = Number(await (nodes[0] as Redis).cluster('KEYSLOT', name))
  const leases = redisLeases({ client })
  // No master has a replica here, so this guarantee only means that WAIT follows each write.
  const waiting = redisLeases({ client, minReplicas: 1, replicaTimeoutSeconds: 0.01 })
  const claim = await leases.claim(key, 600)
  if (claim.state !== 'claimed') {
    throw new Error(claim.state)
  }

  const owners = await Promise.all(nodes.map((node) => node.exists(name).catch(() => -1)))
  const [from, to] = [nodes[owners.indexOf(1)], nodes[owners.indexOf(-1)]] as [Redis, Redis]
  const [fromId, toId] = [await from.cluster('MYID'), await to.cluster('MYID')]
  await to.cluster('SETSLOT', slot, 'IMPORTING', fromId)
  await from.cluster('SETSLOT', slot, 'MIGRATING', toId)
  // Other keys of earlier tests may be in this slot.
  for (const each of (await from.cluster('GETKEYSINSLOT', slot, 1000)) as string[]) {
    await from.migrate('127.0.0.1', to.options.port as number, each, 0, 5000)
  }
  for (const node of nodes) {
    await node.cluster('SETSLOT', slot, 'NODE', toId)
  }

  await expect(waiting.complete(key, claim.token, 'hash', 60)).rejects.toThrow(/0 of 1 replicas/)
  await eventually(async () => (await to.exists(name)) || undefined)
  expect(await leases.claim(key, 60)).toEqual({ state: 'done', contentHash: 'hash' })
})
