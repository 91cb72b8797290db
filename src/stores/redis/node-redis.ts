import type { RedisClient, RedisNode, RedisPipeline } from './redis-client.js'

/** What {@link nodeRedis} needs of a client that `createClient` of the package `redis` returns. */
export interface NodeRedisClient {
  sendCommand(args: readonly string[]): Promise<unknown>
  multi(): NodeRedisMulti
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  readonly options?: { readonly socket?: object | undefined } | undefined
}

interface NodeRedisMulti {
  addCommand(args: string[]): unknown
  execAsPipeline(): Promise<readonly unknown[]>
}

/**
 * Lets {@link redisStore} use node-redis, the package `redis` 6: one server, not a Cluster. Connect the client, listen to
 * its `error` events, and give it `disableOfflineQueue: true` and a `socketTimeout`. It stays yours to close.
 *
 * @example
 * const client = await createClient({ disableOfflineQueue: true }).connect()
 * const store = redisStore({ client: nodeRedis(client) })
 */
export function nodeRedis(client: NodeRedisClient): RedisClient & RedisNode {
  const { socketTimeout } = (client.options?.socket ?? {}) as { readonly socketTimeout?: number }
  return {
    call: (command, ...args) => client.sendCommand([command, ...args]).catch(rethrow),
    pipeline() {
      const multi = client.multi()
      const pipeline: RedisPipeline = {
        call(command, ...args) {
          multi.addCommand([command, ...args])
        },
        async exec() {
          // The commands of a chain share one connection: after a disconnect, the rest of it is rejected.
          const replies = await multi.execAsPipeline().catch(rethrow)
          return replies.map((reply) => [null, reply])
        },
      }
      return pipeline
    },
    on: (event, listener) => client.on(event, listener),
    off: (event, listener) => client.off(event, listener),
    options: { socketTimeout },
  }
}

/** Names an error of the server as ioredis does. Its text begins with a code in capitals, that of a client error does not. */
function rethrow(error: unknown): never {
  if (error instanceof Error && /^[A-Z]+ /.test(error.message)) {
    error.name = 'ReplyError'
  }
  throw error
}
