import { afterAll, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

afterAll(removeFiles)

test('a handler that runs past its time counts for the limit of its type until it ends', async () => {
  let [running, most, ended] = [0, 0, 0]
  const receiver = createReceiver({
    secret: testSecret,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 1 }, pollSeconds: 3600, onError() {} }),
    logger: false,
    handlerTimeoutSeconds: 0.2,
    leaseSeconds: 20,
    limits: { byType: { 'transfer.settled': { concurrency: 1 } } },
    async fallback() {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 800))
      running--
      ended++
    },
  })
  await receiver.start()
  const sender = testSender({ receiver })
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  // The end of an overdue handler wakes the search, which would otherwise come after an hour.
  await eventually(async () => ended === 3 || undefined)
  expect(most).toBe(1)
  await receiver.stop()
})
