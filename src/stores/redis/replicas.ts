import { isReply, type RedisClient, type RedisPipeline } from './redis-client.js'

/** Too few replicas have the write. The write itself took effect. */
export class TooFewReplicas extends Error {
  override readonly name = 'TooFewReplicas'
}

/**
 * Sends a command on one key and WAIT in one pipeline. WAIT counts only the writes of its own connection, and a
 * pipeline uses one connection, also when ioredis sends it again.
 */
export async function sendAndWait(
  client: RedisClient,
  command: readonly [name: string, ...args: string[]],
  key: string,
  { minReplicas, timeoutSeconds }: { minReplicas: number; timeoutSeconds: number },
): Promise<unknown> {
  const send = async () => {
    const timeout = String(Math.ceil(timeoutSeconds * 1000))
    const pipeline = client.pipeline()
    enqueue(pipeline, command)
    enqueue(pipeline, ['wait', String(minReplicas), timeout])
    const [written, waited] = (await pipeline.exec()) ?? []
    if (!written || !waited) {
      throw new Error('the pipeline was discarded')
    }
    if (written[0]) {
      throw written[0]
    }
    if (waited[0]) {
      throw waited[0]
    }
    const replicas = Number(waited[1])
    if (replicas >= minReplicas) {
      return written[1]
    }
    throw new TooFewReplicas(`${replicas} of ${minReplicas} replicas had the write after ${timeoutSeconds} s`)
  }
  try {
    return await send()
  } catch (error) {
    // A Cluster follows a moved slot for a single command, not for a pipeline in which another command succeeded.
    if (!isReply(error, 'MOVED')) {
      throw error
    }
    await client.call('exists', key)
    return await send()
  }
}

const enqueue = (pipeline: RedisPipeline, [name, ...args]: readonly [string, ...string[]]) => {
  pipeline.call(name, ...args)
}
