import type { StoreError } from '../errors.js'
import { type Claim, type LeaseStore, leaseStore } from '../store/lease.js'
import type { Store } from '../store/store.js'
import { checkRedis } from './redis/check-redis.js'
import { digestOf, isRefusal, isReply } from './redis/redis-client.js'
import { redisFault } from './redis/redis-fault.js'
import { type RedisStoreOptions, resolveRedisOptions } from './redis/redis-options.js'
import { sendAndWait } from './redis/replicas.js'
import * as scripts from './redis/scripts.js'

export { type NodeRedisClient, nodeRedis } from './redis/node-redis.js'
export type { RedisClient, RedisNode, RedisPipeline } from './redis/redis-client.js'
export type { RedisStoreOptions } from './redis/redis-options.js'

/**
 * Keeps events in Redis 6.2 or later, or in a Cluster, for every process that uses it. For each event it keeps two
 * hashes, of its id and of its content. It never keeps an id, a body or a secret. Redis deletes them when the retention
 * has passed, so `prune` does nothing and resolves to 0.
 *
 * Give it a client of its own with a `socketTimeout`, which detects connections that no longer answer. `close` does
 * not close the client.
 *
 * `check` rejects a Redis that evicts (`store_evicts`) or writes nothing to disk (`store_volatile`), unless
 * `allowVolatile` is given, and a version it does not support (`store_unsupported`). Throws `ConfigurationError`
 * (`invalid_option`, `unknown_option`). Any error of Redis or of the client becomes a `StoreError` with its `cause`.
 *
 * @example
 * const store = redisStore({ client: new Redis({ socketTimeout: 5000 }) })
 */
export function redisStore(options: RedisStoreOptions): Store {
  return leaseStore(redisLeases(options))
}

/**
 * The four verbs of {@link redisStore}, to build your own store on them.
 *
 * @example
 * const leases = redisLeases({ client: new Redis({ socketTimeout: 5000 }) })
 */
export function redisLeases(options: RedisStoreOptions): LeaseStore {
  const settings = resolveRedisOptions(options)
  const { client, prefix, minReplicas, replicaTimeoutSeconds: timeoutSeconds } = settings

  /**
   * Runs a script by its digest, or by its text if the server does not know the digest. A `durable` verb also
   * waits for the replicas.
   */
  async function run({ doing, lua, key, args, durable = false }: Verb): Promise<unknown> {
    const name = prefix + key
    const isWaiting = durable && minReplicas > 0
    const send = (command: 'evalsha' | 'eval', script: string) => {
      if (!isWaiting) {
        return client.call(command, script, '1', name, ...args)
      }
      return sendAndWait(client, [command, script, '1', name, ...args], name, { minReplicas, timeoutSeconds })
    }
    try {
      return await send('evalsha', await digestOf(lua))
    } catch (error) {
      if (!isReply(error, 'NOSCRIPT')) {
        throw redisFault(doing, error)
      }
    }
    try {
      return await send('eval', lua)
    } catch (error) {
      throw redisFault(doing, error)
    }
  }

  const release = async (key: string, token: string) =>
    isTrue(await run({ doing: 'release a claim', lua: scripts.release, key, args: [tokenId(token)] }))

  const leases: LeaseStore = {
    async claim(key, leaseSeconds): Promise<Claim> {
      const id = crypto.randomUUID()
      const args = [id, ms(leaseSeconds), ms(leaseSeconds + abandonedSeconds)]
      try {
        const reply = await run({ doing: 'claim an event', lua: scripts.claim, key, args, durable: true })
        return toClaim(reply as [string, unknown], id)
      } catch (error) {
        // Without an error of the server, the claim may exist and only the reply was lost.
        if (!isRefusal((error as StoreError).cause)) {
          void giveBack(() => release(key, `:${id}`))
        }
        throw error
      }
    },

    async extend(key, token, leaseSeconds) {
      const args = [tokenId(token), ms(leaseSeconds), ms(leaseSeconds + abandonedSeconds)]
      return isTrue(await run({ doing: 'extend a claim', lua: scripts.extend, key, args }))
    },

    async complete(key, token, contentHash, retentionSeconds) {
      const args = [tokenId(token), contentHash, ms(retentionSeconds)]
      const { complete: lua } = scripts
      return isTrue(await run({ doing: 'mark an event done', lua, key, args, durable: true }))
    },

    release,
    check: () => checkRedis(settings, leases),
    prune: async () => 0,
    close: async () => {},
  }
  return leases
}

/** Releases a claim that may not exist, in the background. If every try fails, the lease ends by itself. */
async function giveBack(release: () => Promise<boolean>): Promise<void> {
  for (const pause of [0.5, 2, 0]) {
    try {
      await release()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause * 1000))
    }
  }
}

interface Verb {
  readonly doing: string
  readonly lua: string
  readonly key: string
  readonly args: readonly string[]
  readonly durable?: boolean
}

/** How long the count of attempts of an event is kept after its lease has ended without a completion. */
const abandonedSeconds = 30 * 86_400

/** Longer than any lease or retention, and within what Redis can add to its clock. */
const longestMs = 2 ** 48

const ms = (seconds: number) => String(Math.min(Math.max(1, Math.ceil(seconds * 1000)), longestMs))

/** A token is `<attempt>:<id>`, and the id alone is unique. */
const tokenId = (token: string) => token.slice(token.indexOf(':') + 1)

// A client can be configured to return numbers as strings.
const isTrue = (reply: unknown) => Number(reply) === 1

function toClaim([state, value]: [string, unknown], id: string): Claim {
  if (state === 'done') {
    return { state, contentHash: String(value) }
  }
  if (state === 'leased') {
    return { state, remainingSeconds: Number(value) / 1000 }
  }
  return { state: 'claimed', token: `${value}:${id}`, attempt: Number(value) }
}
