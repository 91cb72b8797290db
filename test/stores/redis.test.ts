import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { nodeRedis, redisLeases, redisStore } from '../../src/stores/redis.js'
import { leaseSuite } from '../../src/testing/lease-suite.js'
import { storeSuite } from '../../src/testing/store-suite.js'
import { freePort, type RedisServer, startRedis } from '../servers/redis.js'

const versions = { 'ioredis 6': Redis, 'ioredis 5': Redis5 as unknown as typeof Redis }

let server: RedisServer
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes' })
})
afterAll(() => server.close())

for (const [name, Client] of Object.entries(versions)) {
  const clients: Redis[] = []
  const connect = (port: number, options = {}) => {
    const client = new Client(port, { socketTimeout: 5000, ...options })
    client.on('error', () => {})
    clients.push(client)
    return client
  }
  afterAll(() => {
    for (const client of clients) {
      client.disconnect()
    }
  })

  describe(`the verbs of the redis store on ${name}`, () => {
    leaseSuite(test, () => redisLeases({ client: connect(server.port) }), { prunes: false })
  })

  describe(`the redis store on ${name}`, () => {
    storeSuite(test, () => redisStore({ client: connect(server.port) }), {
      prunes: false,
      makeUnreachable: async () =>
        redisStore({ client: connect(await freePort(), { maxRetriesPerRequest: 2 }) }),
    })
  })
}

describe('node-redis', () => {
  const clients: { destroy(): void }[] = []
  afterAll(() => {
    for (const client of clients) {
      client.destroy()
    }
  })

  async function connect(port: number) {
    const socket = { host: '127.0.0.1', port, socketTimeout: 5000, reconnectStrategy: 100 }
    const client = createClient({ socket, disableOfflineQueue: true })
    client.on('error', () => {})
    clients.push(client)
    const connected = client.connect()
    connected.catch(() => {})
    if (port === server.port) {
      await connected
    }
    return nodeRedis(client)
  }

  leaseSuite(test, async () => redisLeases({ client: await connect(server.port) }), { prunes: false })
  storeSuite(test, async () => redisStore({ client: await connect(server.port) }), {
    prunes: false,
    makeUnreachable: async () => redisStore({ client: await connect(await freePort()) }),
  })
})
