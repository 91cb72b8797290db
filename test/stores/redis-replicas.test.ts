import type { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { nodeRedis, redisLeases, redisStore } from '../../src/stores/redis.js'
import { eventually, freshKey } from '../../src/testing/laws.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { clientPool } from './redis-clients.js'

const { connect } = clientPool()

let master: RedisServer
let replica: RedisServer
let client: Redis
beforeAll(async () => {
  master = await startRedis({ appendonly: 'yes', 'repl-diskless-sync-delay': '0' })
  replica = await startRedis({ replicaof: `127.0.0.1 ${master.port}`, 'repl-timeout': '600' })
  client = connect(master.port, { socketTimeout: 30_000 })
  await eventually(async () => (await client.wait(1, 100)) || undefined)
})
afterAll(async () => {
  await replica.close()
  await master.close()
})

describe('with minReplicas', () => {
  leaseSuite(test, () => redisLeases({ client, minReplicas: 1, replicaTimeoutSeconds: 10 }), {
    prunes: false,
  })

  test('the guarantee names the replicas', async () => {
    const { notes } = await redisStore({ client, minReplicas: 1 }).check()
    expect(notes).toContainEqual(
      expect.stringMatching(/1 of the replicas.*a failover to another may forget it/),
    )
  })

  test('scripts that the server has lost are sent again', async () => {
    const leases = redisLeases({ client, minReplicas: 1, replicaTimeoutSeconds: 10 })
    await client.script('FLUSH')
    expect((await leases.claim(freshKey(), 60)).state).toBe('claimed')
  })

  test('a claim on too few replicas is rejected and released', async () => {
    const key = freshKey()
    const leases = redisLeases({ client, minReplicas: 2, replicaTimeoutSeconds: 0.05 })
    const error = await Promise.resolve(leases.claim(key, 600)).then(String, (reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).message).toMatch(/1 of 2 replicas.*likely cause: .*lower minReplicas/)
    await expect
      .poll(async () => (await redisLeases({ client }).claim(key, 600)).state, { timeout: 10_000 })
      .toBe('claimed')
  })

  test('an event is not done while the replica lags, and is done when it has caught up', async () => {
    const key = freshKey()
    const leases = redisLeases({ client, minReplicas: 1, replicaTimeoutSeconds: 0.2 })
    const claim = await leases.claim(key, 600)
    if (claim.state !== 'claimed') {
      throw new Error(claim.state)
    }
    replica.pause()
    try {
      await expect(leases.complete(key, claim.token, 'hash', 60)).rejects.toThrow(StoreError)
      await expect(leases.complete(key, claim.token, 'hash', 60)).rejects.toThrow(StoreError)
      // On a connection that has written nothing, WAIT accepts any replica.
      const other = redisLeases({ client: connect(master.port), minReplicas: 1, replicaTimeoutSeconds: 0.2 })
      await expect(other.complete(key, claim.token, 'hash', 60)).rejects.toThrow(StoreError)
    } finally {
      replica.resume()
    }
    await expect
      .poll(() => Promise.resolve(leases.complete(key, claim.token, 'hash', 60)).catch(() => false), {
        timeout: 30_000,
      })
      .toBe(true)
    expect(await connect(replica.port).hget(`webhook-inbox:${key}`, 'h')).toBe('hash')
  })
})

describe('with minReplicas on node-redis', () => {
  let other: ReturnType<typeof createClient>
  const leases = (minReplicas: number) =>
    redisLeases({ client: nodeRedis(other), minReplicas, replicaTimeoutSeconds: 0.5 })
  beforeAll(async () => {
    other = createClient({ socket: { host: '127.0.0.1', port: master.port } })
    other.on('error', () => {})
    await other.connect()
  })
  afterAll(() => other?.destroy())

  test('a claim waits for the replica', async () => {
    expect((await leases(1).claim(freshKey(), 60)).state).toBe('claimed')
  })

  test('a claim on too few replicas is rejected', async () => {
    await expect(leases(2).claim(freshKey(), 60)).rejects.toThrow(/1 of 2 replicas/)
  })

  test('scripts that the server has lost are sent again', async () => {
    await client.script('FLUSH')
    expect((await leases(1).claim(freshKey(), 60)).state).toBe('claimed')
  })
})

test('without minReplicas the guarantee names asynchronous replication', async () => {
  const { notes } = await redisStore({ client }).check()
  expect(notes).toContainEqual(expect.stringContaining('replication is asynchronous'))
})

test('a client on a replica is rejected with the advice to use the master', async () => {
  const claiming = redisLeases({ client: connect(replica.port) }).claim(freshKey(), 60)
  const error = await Promise.resolve(claiming).then(String, (reason: unknown) => reason)
  expect((error as StoreError).message).toMatch(/READONLY.*fix: connect it to the master/)
})
