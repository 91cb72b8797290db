import { invalidOption } from '../../errors.js'
import { type Filled, givenOptions, hasMethods } from '../../given-options.js'
import type { RedisClient } from './redis-client.js'

export interface RedisStoreOptions {
  /**
   * An ioredis client, 5.4 or later: a `Redis` or a `Cluster`. Or a node-redis client in {@link nodeRedis}. You close it
   * yourself. Required.
   */
  readonly client: RedisClient
  /** The prefix of the keys of this store. Default `'webhook-inbox:'`. */
  readonly prefix?: string | undefined
  /**
   * Starts on a Redis that evicts keys, that writes nothing to disk, or that does not report it. Events may then run
   * twice, and the guarantee says so. Default false.
   */
  readonly allowVolatile?: boolean | undefined
  /**
   * How many replicas must have the claim, and the mark “done”, in memory before the store continues. If fewer have
   * it, the store rejects with `StoreError`, and the sender delivers again. Default 0.
   *
   * This reduces how many acknowledged events a failover forgets, but does not prevent it: a failover may choose
   * another replica. WAIT delays every other command on its connection, so give the store a client of its own.
   */
  readonly minReplicas?: number | undefined
  /** How long to wait for the replicas, in seconds. Default 1. */
  readonly replicaTimeoutSeconds?: number | undefined
}

export type RedisSettings = Filled<RedisStoreOptions>

const defaults = {
  prefix: 'webhook-inbox:',
  allowVolatile: false,
  minReplicas: 0,
  replicaTimeoutSeconds: 1,
} satisfies Partial<RedisSettings>

/** Throws `ConfigurationError` (`invalid_option`, `unknown_option`). */
export function resolveRedisOptions(options: RedisStoreOptions): RedisSettings {
  const given = givenOptions('redisStore', options, ['client', ...Object.keys(defaults)])
  const settings: RedisSettings = { ...defaults, ...(given as unknown as Pick<RedisSettings, 'client'>) }
  const { client, prefix, allowVolatile, minReplicas, replicaTimeoutSeconds } = settings
  if (!hasMethods('client', client, 'call', 'pipeline')) {
    if (hasMethods('client', client, 'sendCommand', 'multi')) {
      throw invalidOption(
        'client is one of node-redis: wrap it, as in redisStore({ client: nodeRedis(client) })',
      )
    }
    throw invalidOption('client must be an ioredis client, as in redisStore({ client: new Redis(url) })')
  }
  if (typeof prefix !== 'string') {
    throw invalidOption('prefix must be a string')
  }
  if (typeof allowVolatile !== 'boolean') {
    throw invalidOption('allowVolatile must be a boolean')
  }
  if (!Number.isInteger(minReplicas) || minReplicas < 0) {
    throw invalidOption('minReplicas must be a whole number of replicas, 0 for none')
  }
  // WAIT takes 0 for no limit.
  if (!(replicaTimeoutSeconds > 0 && replicaTimeoutSeconds <= 60)) {
    throw invalidOption('replicaTimeoutSeconds must be more than 0 and at most 60')
  }
  return settings
}
