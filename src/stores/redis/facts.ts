import { isReply, type RedisNode } from './redis-client.js'

/** What one server reports about itself. `undefined` if it does not report it, as managed servers often do not. */
export interface RedisFacts {
  /** Such as `redis 7.0.15`. */
  readonly product: string
  /** The version of Redis that it speaks as, whatever the product. */
  readonly version: string | undefined
  /** `maxmemory-policy`. */
  readonly policy: string | undefined
  readonly appendOnly: boolean | undefined
  /** `appendfsync`. */
  readonly fsync: string | undefined
  /** When snapshots are taken, as `save` says; empty for never. */
  readonly snapshots: string | undefined
  readonly replicas: number
}

/** Asks CONFIG, then INFO for the rest. Rejects with the client’s error if neither answers. */
export async function askRedis(node: RedisNode): Promise<RedisFacts> {
  const [info, policy, appendOnly, fsync, snapshots] = await Promise.all([
    askInfo(node),
    askConfig(node, 'maxmemory-policy'),
    askConfig(node, 'appendonly'),
    askConfig(node, 'appendfsync'),
    askConfig(node, 'save'),
  ])
  const version = info.get('redis_version')
  const isAppendOnly = appendOnly ?? { '0': 'no', '1': 'yes' }[info.get('aof_enabled') ?? '']
  return {
    product: info.has('valkey_version')
      ? `valkey ${info.get('valkey_version')}`
      : `redis ${version ?? ''}`.trim(),
    version,
    policy: policy ?? info.get('maxmemory_policy'),
    appendOnly: isAppendOnly === undefined ? undefined : isAppendOnly === 'yes',
    fsync,
    snapshots,
    replicas: Number(info.get('connected_slaves') ?? 0),
  }
}

async function askInfo(node: RedisNode): Promise<ReadonlyMap<string, string>> {
  const reply = String((await ask(node, 'info')) ?? '')
  return new Map(
    reply.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
    }),
  )
}

async function askConfig(node: RedisNode, name: string): Promise<string | undefined> {
  const reply = await ask(node, 'config', 'get', name)
  // A list of name and value, or under RESP3 a map of them, which a client may hand over as an object or a Map.
  const value = Array.isArray(reply)
    ? reply[1]
    : reply instanceof Map
      ? reply.get(name)
      : (reply as Record<string, unknown> | undefined)?.[name]
  return value === undefined ? undefined : String(value)
}

/** `undefined` if the command is forbidden or disabled. Rejects with any other error. */
async function ask(node: RedisNode, command: string, ...args: string[]): Promise<unknown> {
  try {
    return await node.call(command, ...args)
  } catch (error) {
    if (isReply(error, 'NOPERM', 'ERR')) {
      return undefined
    }
    throw error
  }
}
