import { Queue, Worker } from 'bullmq'
import { afterEach, expect, it, vi } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { freePort } from '../servers/redis.js'

afterEach(() => void vi.restoreAllMocks())

it('the line for a Redis that is down says the likely cause and the fix', async () => {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
  const connection = { host: '127.0.0.1', port: await freePort(), maxRetriesPerRequest: null }
  const queue = bullmqQueue({ Queue, Worker, connection })
  await expect(queue.check?.('default')).rejects.toMatchObject({ name: 'StoreError' })
  await queue.close?.()
  expect(spy.mock.calls.map(([line]) => line)).toContainEqual(
    expect.stringMatching(
      /^webhook-inbox: bullmq; .*ECONNREFUSED.*; likely cause: Redis is down or unreachable; fix: check the connection option; events wait in the store, and run when BullMQ is connected again$/,
    ),
  )
})
