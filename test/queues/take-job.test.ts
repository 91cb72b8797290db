import { expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { JobNotDone } from '../../src/queue/queue.js'
import { type JobTaker, takeJob, toJob } from '../../src/queue/take-job.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

/** A job whose handler goes on after its budget, and meanwhile holds its event: it cannot be noted as failed. */
async function overrun(over: Partial<JobTaker> & Partial<Inbox<unknown>>) {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  const stored = await inbox.read(event.key)
  if (!stored) throw new Error('it is not there')
  let faults = 0
  const held =
    <Rest extends unknown[]>(verb: (...rest: Rest) => Promise<void>) =>
    async (...rest: Rest) => {
      if (++faults < 3) throw new StoreError('its handler holds the event')
      await verb(...rest)
    }
  const listed: unknown[] = []
  const errors: unknown[] = []
  const taker: JobTaker = {
    worker: {
      endpoint: event.endpoint,
      run: () => Promise.reject(new JobNotDone('handler_timeout')),
      markDead: held((job) => inbox.markDead(job.key, 'the end')),
    },
    inbox: { ...inbox, postpone: held(inbox.postpone) },
    retry: defaultRetry,
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    list: async () => {},
    onError: (error) => errors.push(error),
    ...over,
  }
  const ended = takeJob(taker, toJob(stored), async (next) => listed.push(next))
  return { ended, listed, errors, read: () => inbox.read(event.key) }
}

test('an attempt that cannot be noted at first is noted in the end, and followed by one other', async () => {
  const { ended, listed, errors, read } = await overrun({})
  expect((await ended).state).toBe('failed')
  expect([listed.length, errors.length]).toEqual([1, 2])
  expect(await read()).toMatchObject({ state: 'failed', failures: 1 })
})

test('the last attempt that cannot be noted at first ends its event', async () => {
  const { ended, listed, read } = await overrun({ retry: { ...defaultRetry, attempts: 1 } })
  expect((await ended).state).toBe('dead')
  expect(listed).toEqual([])
  expect(await read()).toMatchObject({ state: 'dead' })
})

test('a consumer that stops waits for no store', async () => {
  const stopping = new AbortController()
  const { ended } = await overrun({ stopping: stopping.signal })
  stopping.abort()
  await expect(ended).rejects.toBeInstanceOf(StoreError)
})
