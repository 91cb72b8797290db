import { expect } from 'vitest'
import type { Job, Worker } from '../../src/queue/queue.js'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveResult } from '../../src/result.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

/** A receiver that accepted one event, and a queue that gives its worker to the test. */
export async function accepted(over: object = {}, path = newFile()) {
  const store = sqliteStore(path)
  const results: ReceiveResult[] = []
  const logger = lines()
  let worker: Worker | undefined
  const receiver = createReceiver({
    secret,
    now: clock,
    logger,
    store,
    queue: {
      guarantee: '',
      async consume(given: Worker) {
        worker = given
        return async () => {}
      },
    },
    fallback: () => {},
    onResult: (result) => void results.push(result),
    ...over,
  })
  await receiver.start()
  expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
  const [stored] = await receiver.list()
  const job: Job = { key: stored?.key ?? '', type: settled.type, endpoint: 'default', generation: 0 }
  return {
    path,
    store,
    receiver,
    worker: worker as Worker,
    job,
    results,
    logger,
    inspect: () => receiver.inspect(settled.id),
  }
}
