import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { afterAll } from 'vitest'

/** Creates clients that close after the test file. */
export function clientPool() {
  const clients: (Redis | Cluster)[] = []
  // Without a listener ioredis prints every lost connection.
  const keep = <C extends Redis | Cluster>(client: C): C => {
    clients.push(client)
    client.on('error', () => {})
    return client
  }
  afterAll(() => {
    for (const client of clients) {
      client.disconnect()
    }
  })
  return {
    connect: (port: number, options: Omit<RedisOptions, 'replyMapping'> = {}) =>
      keep(new Redis(port, '127.0.0.1', options)),
    join: (ports: readonly number[], options: Omit<ClusterOptions, 'redisOptions'> = {}) =>
      keep(
        new Cluster(
          ports.map((port) => ({ host: '127.0.0.1', port })),
          options,
        ),
      ),
  }
}
