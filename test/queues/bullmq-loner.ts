import { Queue, Worker } from 'bullmq'
import type { Inbox } from '../../src/index.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'

/** Starts a consumer without a Redis. The process must then end by itself. */
const queue = bullmqQueue({
  Queue,
  Worker,
  connection: { host: '127.0.0.1', port: 1, maxRetriesPerRequest: null },
  onError() {},
})
const worker = { endpoint: 'alone', run: async () => {}, markDead: async () => {} }
await queue.consume(worker, {} as Inbox<unknown>).catch((error: unknown) => console.log(String(error)))
