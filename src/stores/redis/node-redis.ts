import { invalidOption } from '../../errors.js'
import { hasMethods } from '../../given-options.js'
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
 * its `error` events, and give it `disableOfflineQueue: true` and a `socketTimeout`. You close it yourself.
 *
 * @example
 * const client = await createClient({ disableOfflineQueue: true }).connect()
 * const store = redisStore({ client: nodeRedis(client) })
 */
export function nodeRedis(client: NodeRedisClient): RedisClient & RedisNode {
  if (!hasMethods('the client', client, 'sendCommand')) {
    throw invalidOption('nodeRedis takes a client of the package redis')
  }
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
          // The commands of a chain share one connection. After a disconnect, its other commands are rejected.
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

/**
 * Gives an error of the server the same name as ioredis. The text of a server error begins with a code in capitals. The
 * text of a client error does not.
 */
function rethrow(error: unknown): never {
  if (error instanceof Error && /^[A-Z]+ /.test(error.message)) {
    error.name = 'ReplyError'
  }
  throw error
}
