import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeRedisClient, nodeRedis, redisLeases, redisStore } from '../../src/stores/redis.js'
import { type RedisServer, startRedis } from '../servers/redis.js'

let server: RedisServer
beforeAll(async () => {
  server = await startRedis({ appendonly: 'yes' })
})
afterAll(() => server.close())

test.each<[unknown, string]>([
  [new Error('OOM command not allowed'), '(OOM command not allowed); likely cause: it is at its maxmemory'],
  [
    new Error('connect ECONNREFUSED 127.0.0.1:1'),
    '(connect ECONNREFUSED 127.0.0.1:1); likely cause: it is down',
  ],
  [new Error('Socket closed unexpectedly'), '(Socket closed unexpectedly); likely cause: it is down'],
  [undefined, '(undefined); likely cause: it is down'],
  ['OOM said by no server', '(OOM said by no server); likely cause: it is down'],
])('%s is an error of the server or of the client', async (thrown, words) => {
  const rejects = async () => {
    throw thrown
  }
  const client = nodeRedis({
    sendCommand: rejects,
    multi: () => ({ addCommand() {}, execAsPipeline: rejects }),
    on() {},
    off() {},
  })
  for (const minReplicas of [0, 1]) {
    await expect(redisLeases({ client, minReplicas }).claim('key', 60)).rejects.toMatchObject({
      message: expect.stringContaining(`Redis could not claim an event ${words}`),
    })
  }
})

test.each<[NodeRedisClient['options'] | undefined, number]>([
  [undefined, 1],
  [{}, 1],
  [{ socket: {} }, 1],
  [{ socket: { socketTimeout: 5000 } }, 0],
])('with the options %j is warned of a missing socketTimeout or not', async (options, warnings) => {
  const node = createClient({ socket: { host: '127.0.0.1', port: server.port } })
  node.on('error', () => {})
  await node.connect()
  try {
    const like = {
      sendCommand: (args: string[]) => node.sendCommand(args),
      multi: () => node.multi(),
      on: node.on.bind(node),
      off: node.off.bind(node),
      options,
    }
    const guarantee = await redisStore({ client: nodeRedis(like as never) }).check()
    expect(guarantee.warnings).toHaveLength(warnings)
  } finally {
    node.destroy()
  }
})

test('a check names what the client reported, and stops listening', async () => {
  const listeners = new Set<(error: Error) => void>()
  const client = nodeRedis({
    async sendCommand() {
      for (const listener of listeners) {
        listener(new Error('connect ECONNREFUSED'))
      }
      throw new Error('it gave up after 20 tries')
    },
    multi: () => ({ addCommand() {}, execAsPipeline: async () => [] }),
    on: (event: string, listener: (error: Error) => void) =>
      void (event === 'error' && listeners.add(listener)),
    off: (_event: string, listener: (error: Error) => void) => void listeners.delete(listener),
  } as never)
  await expect(redisStore({ client }).check()).rejects.toThrow(/did not answer \(connect ECONNREFUSED\)/)
  expect(listeners.size).toBe(0)
})

const unreadable = {
  get sendCommand() {
    throw new Error('no')
  },
  get call() {
    throw new Error('no')
  },
}

test.each<[() => unknown, string]>([
  [() => nodeRedis({} as never), 'nodeRedis takes a client of the package redis'],
  [() => nodeRedis(unreadable as never), 'the client must be readable'],
  [() => redisStore({ client: unreadable as never }), 'client must be readable'],
  [
    () => redisStore({ client: { sendCommand() {} } as never }),
    'client must be an ioredis client, as in redisStore({ client: new Redis(url) })',
  ],
  [
    () => redisStore({ client: { multi() {} } as never }),
    'client must be an ioredis client, as in redisStore({ client: new Redis(url) })',
  ],
])('a client is rejected by its name: %s', (build, detail) => {
  expect(build).toThrow(expect.objectContaining({ code: 'invalid_option', detail }))
})
