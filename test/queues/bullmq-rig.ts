import * as bullmq from 'bullmq'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createReceiver } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { type BullMqQueueOptions, bullmqQueue } from '../../src/queues/bullmq.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

/** A Redis for the tests of a file, and receivers whose jobs BullMQ keeps in it. */

export let redis: RedisServer
export const errors: unknown[] = []
export const closing: (() => Promise<unknown>)[] = []

/** Registers the hooks of a file. Call it once at the top, because the files of a worker share this module. */
export function openBullMq(): void {
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes', appendfsync: 'always' })
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close()
    }
    errors.length = 0
  })
  afterAll(async () => {
    removeFiles()
    await redis?.close()
  })
}

export const connection = () => ({ host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null })

export function program(
  options: Partial<BullMqQueueOptions> = {},
  handler: () => unknown = () => {},
  { Queue, Worker }: Pick<typeof bullmq, 'Queue' | 'Worker'> = bullmq,
) {
  const endpoint = `of ${crypto.randomUUID()}`
  const path = newFile()
  const store = sqliteStore(path)
  const onError = (error: unknown) => void errors.push(error)
  const queue = bullmqQueue({
    Queue,
    Worker,
    connection: connection(),
    takeOverSeconds: 1,
    onError,
    ...options,
  })
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint,
    fallback: handler,
    leaseSeconds: 2,
    logger: false,
  })
  closing.push(async () => {
    await receiver.stop()
    await store.close()
  })
  const engine = new Queue(`webhook-inbox.${endpoint.replace(' ', '.20')}`, { connection: connection() })
  engine.on('error', () => {})
  closing.push(() => engine.close())
  return { endpoint, path, store, queue, receiver, engine, sender: testSender({ receiver }) }
}

export const allDone = (receiver: ReturnType<typeof createReceiver>) =>
  eventually(async () => {
    const events = await receiver.list()
    return events.every(({ state }) => state === 'done') ? events : undefined
  })

export const jobOf = ({ key, type, endpoint }: { key: string; type: string; endpoint: string }): Job => ({
  key,
  type,
  endpoint,
  generation: 0,
})
