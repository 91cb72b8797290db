import { afterAll, expect, test } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { JobRunner, type JobRunnerSettings } from '../../src/queue/job-runner.js'
import { type ListedJob, toJob } from '../../src/queue/listed-job.js'
import { JobHeld, type Worker } from '../../src/queue/queue.js'
import type { Inbox, StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { accepted } from '../receiver/worker-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

/** A runner on a real inbox with one accepted event, whose handler fails unless `run` says otherwise. */
async function rig(
  about: { resource?: string } = {},
  over: Partial<Omit<JobRunnerSettings, 'inbox'>> & { inbox?: Partial<Inbox<unknown>> } = {},
) {
  const store = sqliteStore(newFile())
  const inbox = store.inbox as unknown as Inbox<unknown>
  const event = newEvent(about)
  await inbox.accept(event, nothing as never)
  const stored = (await inbox.read(event.key)) as StoredEvent
  const listed: [ListedJob, number][] = []
  const errors: unknown[] = []
  const worker: Worker = {
    endpoint: event.endpoint,
    run: () => Promise.reject(new JobNotDone('failed')),
    markDead: ({ key }) => inbox.markDead(key, 'the end'),
  }
  const runner = new JobRunner({
    retry: { ...defaultRetry, attempts: 2, firstPauseSeconds: 60 },
    concurrency: 1,
    shutdown: new Shutdown(),
    onError: (error) => errors.push(error),
    ...over,
    worker: { ...worker, ...over.worker },
    inbox: { ...inbox, ...over.inbox },
  })
  const list = {
    addNextAttempt: async (job: ListedJob, pauseSeconds: number) => listed.push([job, pauseSeconds]),
    add: async () => {},
  }
  /** Does what a handler does that ends after its time. */
  const finish = () => store.once(event, async () => {})
  return { inbox, stored, job: toJob(stored), runner, list, listed, errors, finish }
}

const workerThat = (run: Worker['run']) => ({ worker: { run } as Worker })

test('gives the worker the event that a search has found, so that it is not read again', async () => {
  const given: unknown[] = []
  const { runner, stored } = await rig(
    {},
    workerThat(async (...all) => void given.push(...all)),
  )
  expect(await runner.run(stored)).toEqual({ state: 'over' })
  expect(given).toEqual([toJob(stored), stored, expect.any(Function)])
})

test('a job that is held back costs no attempt, and says until when', async () => {
  const { runner, stored, inbox } = await rig(
    {},
    workerThat(() => Promise.reject(new JobHeld('rate_limited', 3, true))),
  )
  expect(await runner.run(stored)).toEqual({
    state: 'held',
    error: expect.any(JobHeld),
    retryAfterSeconds: 3,
    isStillFound: true,
  })
  expect(await inbox.read(stored.key)).toMatchObject({ state: 'accepted', failures: 0 })
})

test.each([[{}], [{ resource: 'tr_1' }]])(
  'lists the next attempt of a failed event %j with its failures and its pause',
  async (about) => {
    const { runner, job, list, listed } = await rig(about)
    const end = await runner.take(job, list)
    expect(end).toMatchObject({ state: 'failed', error: expect.any(JobNotDone) })
    const { pauseSeconds } = end as { readonly pauseSeconds: number }
    expect(pauseSeconds).toBeGreaterThan(0)
    expect(listed).toEqual([[{ ...job, failures: 1 }, pauseSeconds]])
  },
)

test('asks for the order of events only if the event has a resource', async () => {
  const inbox = { nextForResource: () => Promise.reject(new StoreError('down')) }
  const without = await rig({}, { inbox })
  expect(await without.runner.take(without.job, without.list)).toMatchObject({ state: 'failed' })
  const ordered = await rig({ resource: 'tr_1' }, { inbox })
  expect(await ordered.runner.take(ordered.job, ordered.list)).toMatchObject({ state: 'untried' })
  expect(ordered.errors).toEqual([expect.any(StoreError)])
})

test('a failed attempt stays one if the store cannot be asked afterwards', async () => {
  const faults = [false, true]
  const { runner, job, list, stored } = await rig(
    { resource: 'tr_1' },
    {
      inbox: {
        nextForResource: async () => (faults.shift() ? Promise.reject(new StoreError('down')) : stored),
      },
    },
  )
  expect(await runner.take(job, list)).toMatchObject({ state: 'failed' })
})

test('counts no failure for an event that was done or removed while its job failed', async () => {
  let finish = async (): Promise<unknown> => undefined
  const done = await rig(
    {},
    workerThat(async () => {
      await finish()
      throw new JobNotDone('handler_timeout')
    }),
  )
  finish = done.finish
  expect(await done.runner.take(done.job, done.list)).toEqual({ state: 'over' })
  expect([done.listed, done.errors]).toEqual([[], []])
  expect(await done.inbox.read(done.job.key)).toMatchObject({ state: 'done', failures: 0 })

  const { runner, job, list, listed, errors } = await rig()
  expect(await runner.take({ ...job, key: 'removed' }, list)).toEqual({ state: 'over' })
  expect([listed, errors]).toEqual([[], []])
})

test.each([
  ['an attempt', 2],
  ['the last attempt', 1],
])('drops the failure of %s if its handler succeeds before it is noted', async (_, attempts) => {
  let finish = async (): Promise<unknown> => undefined
  const late = async () => {
    await finish()
    throw new StoreError('its handler holds the event')
  }
  const { runner, job, list, inbox, ...rest } = await rig(
    {},
    {
      retry: { ...defaultRetry, attempts },
      worker: { markDead: late } as Partial<Worker> as Worker,
      inbox: { postpone: late },
    },
  )
  finish = rest.finish
  expect(await runner.take(job, list)).toEqual({ state: 'over' })
  expect(await inbox.read(job.key)).toMatchObject({ state: 'done', failures: 0 })
})

test('ends a job of an earlier generation, because its failure would not be counted', async () => {
  let runs = 0
  const { store, worker, job } = await accepted({
    fallback() {
      runs++
      throw new Error('no such account')
    },
  })
  const inbox = store.inbox as unknown as Inbox<unknown>
  const errors: unknown[] = []
  const runner = new JobRunner({
    worker,
    inbox,
    retry: { ...defaultRetry, firstPauseSeconds: 60 },
    concurrency: 1,
    shutdown: new Shutdown(),
    onError: (error) => errors.push(error),
  })
  const list = { addNextAttempt: async () => {}, add: async () => {} }
  const jobOf = (generation: number, failures = 0) => ({ ...job, generation, failures })
  await inbox.markDead(job.key, 'given up')
  await inbox.requeue(job.key, { reason: 'test', actor: 'test' }, async () => {})
  for (const failures of [0, 1]) {
    expect(await runner.take(jobOf(0, failures), list)).toEqual({ state: 'over' })
  }
  expect(runs).toBe(0)
  expect(await runner.take(jobOf(1), list)).toMatchObject({ state: 'failed' })
  expect([runs, errors]).toEqual([1, []])
  expect(await inbox.read(job.key)).toMatchObject({ state: 'failed', failures: 1 })
  await store.close()
})
