import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePort, type RedisServer, startRedis } from './redis.js'

export interface RedisCluster {
  readonly ports: readonly number[]
  readonly masters: readonly RedisServer[]
  close(): Promise<void>
}

/** Starts a real Cluster of three masters, whose config is that of `startRedis`. */
export async function startRedisCluster(
  config: Readonly<Record<string, string>> = {},
): Promise<RedisCluster> {
  const masters = await Promise.all(
    [0, 1, 2].map(async () => {
      // Left to itself a node also listens on its port plus 10 000, which may be taken, or beyond the last port.
      const bus = String(await freePort())
      return startRedis({ 'cluster-enabled': 'yes', 'cluster-port': bus, ...config })
    }),
  )
  const close = async () => {
    await Promise.all(masters.map((master) => master.close()))
  }
  try {
    const addresses = masters.map(({ port }) => `127.0.0.1:${port}`)
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  } catch (error) {
    await close()
    throw error
  }
  return { ports: masters.map(({ port }) => port), masters, close }
}
