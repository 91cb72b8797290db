import { Queue, Worker } from 'bullmq'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'

/** Accepts one event and stops. The process must then end by itself. */
const [port, path, consume] = process.argv.slice(2) as [string, string, string]
const store = sqliteStore(path)
const receiver = createReceiver({
  secret: testSecret,
  store,
  queue: bullmqQueue({ Queue, Worker, connection: { host: '127.0.0.1', port: Number(port) } }),
  endpoint: path,
  logger: false,
  fallback() {},
})
await receiver.start({ consume: consume === 'true' })
console.log((await testSender({ receiver }).send('transfer.settled')).outcome)
await receiver.stop()
await store.close()
