import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type RedisServer, startRedis } from './redis.js'

export interface RedisCluster {
  readonly ports: readonly number[]
  readonly masters: readonly RedisServer[]
  close(): Promise<void>
}

/** Starts a real Cluster of three masters. `config` is the one of `startRedis`. */
export async function startRedisCluster(
  config: Readonly<Record<string, string>> = {},
): Promise<RedisCluster> {
  const started = await Promise.allSettled(
    [0, 1, 2].map(() => startRedis({ 'cluster-enabled': 'yes', ...config })),
  )
  const masters = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const close = async () => {
    await Promise.all(masters.map((master) => master.close()))
  }
  try {
    for (const each of started) {
      if (each.status === 'rejected') {
        throw each.reason
      }
    }
    const addresses = masters.map(({ port }) => `127.0.0.1:${port}`)
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  } catch (error) {
    await close()
    throw error
  }
  return { ports: masters.map(({ port }) => port), masters, close }
}
