import { expect, test, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { JobRunner, type JobRunnerSettings, toJob } from '../../src/queue/job-runner.js'
import { JobNotDone } from '../../src/queue/queue.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Lifetime } from '../../src/timing/lifetime.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

/** Runs a job whose handler runs past its budget and holds its event: the inbox cannot note its failure at first. */
async function overrun(over: Partial<JobRunnerSettings>, faults = 2) {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  const stored = await inbox.read(event.key)
  if (!stored) throw new Error('it is not there')
  let tries = 0
  const held =
    <Rest extends unknown[]>(verb: (...rest: Rest) => Promise<void>) =>
    async (...rest: Rest) => {
      if (++tries <= faults) throw new StoreError('its handler holds the event')
      await verb(...rest)
    }
  const listed: unknown[] = []
  const errors: unknown[] = []
  const runner = new JobRunner({
    worker: {
      endpoint: event.endpoint,
      run: () => Promise.reject(new JobNotDone('handler_timeout')),
      markDead: held((job) => inbox.markDead(job.key, 'the end')),
    },
    inbox: { ...inbox, postpone: held(inbox.postpone) },
    retry: defaultRetry,
    concurrency: 2,
    lifetime: new Lifetime(),
    onError: (error) => errors.push(error),
    ...over,
  })
  const run = () =>
    runner.take(toJob(stored), {
      addNextAttempt: async (next) => listed.push(next),
      add: async () => {},
    })
  return { run, listed, errors, read: () => inbox.read(event.key) }
}

test('an attempt that cannot be noted at first is noted in the end, and followed by one other', async () => {
  const { run, listed, errors, read } = await overrun({})
  expect((await run()).state).toBe('failed')
  expect([listed.length, errors.length]).toEqual([1, 2])
  expect(await read()).toMatchObject({ state: 'failed', failures: 1 })
})

test('the last attempt that cannot be noted at first ends its event', async () => {
  const { run, listed, read } = await overrun({ retry: { ...defaultRetry, attempts: 1 } })
  expect((await run()).state).toBe('dead')
  expect(listed).toEqual([])
  expect(await read()).toMatchObject({ state: 'dead' })
})

test('a consumer that stops waits for no store', async () => {
  const lifetime = new Lifetime()
  const { run, errors } = await overrun({ lifetime }, Number.POSITIVE_INFINITY)
  const ended = run()
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  lifetime.end()
  expect(await ended).toMatchObject({ state: 'untried', error: expect.any(StoreError) })
})

test('says so when handlers past their budget take every place', async () => {
  const { run, errors } = await overrun({}, 4)
  await Promise.all([run(), run()])
  const full = errors.filter((error) => String(error).includes('all 2 places are taken'))
  expect(full).toHaveLength(1)
  const { run: runOne, errors: others } = await overrun({}, 2)
  await runOne()
  expect(others.map(String).filter((error) => error.includes('places'))).toEqual([])
})
