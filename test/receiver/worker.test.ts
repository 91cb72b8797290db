import { expect, it } from 'vitest'
import type { Job, Worker } from '../../src/queue/queue.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { clock, delivery, secret, settled } from './deliver.js'

it('runs no handler for a job that was aborted while its event was read, and counts no attempt', async () => {
  const { body } = await delivery()
  const aborting = new AbortController()
  const stored = { state: 'accepted', generation: 0, body }
  const inbox = {
    async read() {
      aborting.abort(new Error('the consumer stops'))
      return stored
    },
  }
  let worker: Worker | undefined
  let runs = 0
  const receiver = createReceiver({
    secret,
    now: clock,
    logger: false,
    store: { ...memoryStore(), inbox } as never,
    queue: {
      guarantee: '',
      async consume(given: Worker) {
        worker = given
        return async () => {}
      },
    },
    fallback: () => void runs++,
  })
  await receiver.start()
  const job: Job = { key: 'k', type: settled.type, endpoint: 'default', generation: 0 }
  await expect(worker?.run(job, aborting.signal)).rejects.toMatchObject({ isAttempt: false })
  expect(runs).toBe(0)
})
