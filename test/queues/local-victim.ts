import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import type { QueueSettings } from '../../src/testing/queue-suite.js'

/** Consumes the queue of a space and never ends a job. */
const [path, settings] = process.argv.slice(2) as [string, string]
const { space, concurrency, retry } = JSON.parse(settings) as QueueSettings
await createReceiver({
  secret: testSecret,
  store: sqliteStore(path),
  queue: localQueue({ concurrency, retry, pollSeconds: 0.1 }),
  endpoint: space,
  leaseSeconds: 2,
  logger: false,
  fallback() {
    process.send?.('running')
    return new Promise(() => {})
  },
}).start()
