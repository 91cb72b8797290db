import { afterAll, afterEach } from 'vitest'
import type { HandlerContext } from '../../src/dispatch/handlers.js'
import type { WebhookEvent } from '../../src/event/event.js'
import { type LocalQueueOptions, localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { removeFiles } from '../stores/sqlite-files.js'

/** Starts receivers with a local queue, each on a file, and stops them after each test. */
export function localPrograms() {
  const started: Receiver[] = []
  afterEach(async () => {
    for (const receiver of started.splice(0)) {
      await receiver.stop()
    }
  })
  afterAll(removeFiles)

  /** A started receiver on a file, and its sender. */
  return async function program(
    path: string,
    fallback: (event: WebhookEvent, context: HandlerContext) => unknown,
    queue: LocalQueueOptions = {},
    over: { endpoint?: string; handlerTimeoutSeconds?: number; leaseSeconds?: number } = {},
  ) {
    const store = sqliteStore(path)
    const receiver = createReceiver({
      secret: testSecret,
      store,
      queue: localQueue(queue),
      fallback: fallback as never,
      logger: false,
      ...over,
    })
    await receiver.start()
    started.push(receiver)
    const sender = testSender({ receiver })
    return {
      store,
      receiver,
      accept: async () => (await sender.send('transfer.settled')).eventId as string,
      state: async (id: string) => (await receiver.inspect(id))?.state,
    }
  }
}
