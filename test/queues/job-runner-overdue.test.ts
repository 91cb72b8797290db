import { expect, test, vi } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { JobRunner, type JobRunnerSettings } from '../../src/queue/job-runner.js'
import { toJob } from '../../src/queue/listed-job.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry as retryRules } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

/** The next job of a test comes immediately, and then waits for a short pause only. */
const defaultRetry = { ...retryRules, firstPauseSeconds: 0.1 }

interface Overrun extends Omit<Partial<JobRunnerSettings>, 'worker'> {
  readonly worker?: Partial<JobRunnerSettings['worker']>
}

/** Runs a job whose handler is overdue and locks its event, so that the inbox cannot record the failure at first. */
async function overrun({ worker, ...over }: Overrun, faults: number | ((tries: number) => boolean) = 2) {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  const stored = await inbox.read(event.key)
  if (!stored) {
    throw new Error('it is not there')
  }
  let tries = 0
  const fails = typeof faults === 'number' ? () => tries <= faults : () => faults(tries)
  const held =
    <Rest extends unknown[]>(verb: (...rest: Rest) => Promise<void>) =>
    async (...rest: Rest) => {
      tries++
      if (fails()) {
        throw new StoreError('its handler holds the event')
      }
      await verb(...rest)
    }
  const listed: unknown[] = []
  const errors: unknown[] = []
  const runner = new JobRunner({
    worker: {
      endpoint: event.endpoint,
      run: () => Promise.reject(new JobNotDone('handler_timeout')),
      markDead: held((job) => inbox.markDead(job.key, 'the end')),
      ...worker,
    },
    inbox: { ...inbox, postpone: held(inbox.postpone) },
    retry: defaultRetry,
    concurrency: 2,
    shutdown: new Shutdown(),
    onError: (error) => errors.push(error),
    ...over,
  })
  const run = async () =>
    runner.take(toJob((await inbox.read(event.key)) ?? stored), {
      addNextAttempt: async (next) => listed.push(next),
      add: async () => {},
    })
  return { run, listed, errors, read: () => inbox.read(event.key) }
}

test('a failure that cannot be recorded at first is recorded later, and followed by one retry', async () => {
  const { run, listed, errors, read } = await overrun({})
  expect((await run()).state).toBe('failed')
  expect([listed.length, errors.length]).toEqual([1, 2])
  expect(await read()).toMatchObject({ state: 'failed', failures: 1 })
})

test('the last failure that cannot be recorded at first still makes the event dead', async () => {
  const { run, listed, read } = await overrun({ retry: { ...defaultRetry, attempts: 1 } })
  expect((await run()).state).toBe('dead')
  expect(listed).toEqual([])
  expect(await read()).toMatchObject({ state: 'dead' })
})

test('a stopping consumer does not wait for the store', async () => {
  const shutdown = new Shutdown()
  const { run, errors } = await overrun({ shutdown }, Number.POSITIVE_INFINITY)
  const ended = run()
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  shutdown.begin()
  expect(await ended).toMatchObject({ state: 'untried', error: expect.any(StoreError) })
})

test.each([
  ['records the failure when it ends', false, { state: 'failed', failures: 1 }],
  ['gives up when stop() no longer does', true, { state: 'accepted', failures: 0 }],
])('a stopping consumer waits for an overdue handler, and %s', async (_, isAborted, expected) => {
  const shutdown = new Shutdown()
  const ends: (() => void)[] = []
  const overdue = new Promise<void>((resolve) => ends.push(resolve))
  let isEnded = false
  let isLeft = false
  const { run, errors, read } = await overrun(
    {
      shutdown,
      worker: {
        run: () => Promise.reject(new JobNotDone('late', true, { overdue })),
        isAborted: () => isLeft,
      },
    },
    () => !isEnded,
  )
  const result = run()
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  shutdown.begin()
  expect(await Promise.race([result, new Promise((resolve) => setTimeout(resolve, 1500, 'waits'))])).toBe(
    'waits',
  )
  if (isAborted) {
    isLeft = true
  } else {
    isEnded = true
    ends[0]?.()
  }
  expect((await result).state).toBe(isAborted ? 'untried' : 'failed')
  expect(await read()).toMatchObject(expected)
})

test('a stopping consumer tries once more if the handler ended while the store refused the note', async () => {
  const shutdown = new Shutdown()
  const ends: (() => void)[] = []
  const overdue = new Promise<void>((resolve) => ends.push(resolve))
  const worker = { run: () => Promise.reject(new JobNotDone('late', true, { overdue })) }
  const { run, read } = await overrun({ shutdown, worker }, (tries) => {
    shutdown.begin()
    ends[0]?.()
    return tries < 2
  })
  expect((await run()).state).toBe('failed')
  expect(await read()).toMatchObject({ state: 'failed', failures: 1 })
})

test('names a handler that holds its event once, and what fails after it has ended', async () => {
  const ends: (() => void)[] = []
  const overdue = new Promise<void>((resolve) => ends.push(resolve))
  const worker = { run: () => Promise.reject(new JobNotDone('late', true, { overdue })) }
  const { run, errors, read } = await overrun({ worker }, (tries) => {
    if (tries === 3) {
      ends[0]?.()
    }
    return tries < 5
  })
  expect((await run()).state).toBe('failed')
  expect(errors.map(String)).toEqual([
    expect.stringContaining('still runs after handlerTimeoutSeconds and holds the event'),
    ...Array(2).fill('StoreError: store_unavailable: its handler holds the event'),
  ])
  expect(await read()).toMatchObject({ state: 'failed', failures: 1 })
})

test('logs when overdue handlers take every slot', async () => {
  const { run, errors } = await overrun({}, 4)
  await Promise.all([run(), run()])
  const full = errors.filter((error) => String(error).includes('all 2 places are taken'))
  expect(full).toHaveLength(1)
  const { run: runOne, errors: others } = await overrun({}, 2)
  await runOne()
  expect(others.map(String).filter((error) => error.includes('places'))).toEqual([])
})

test('counts a slot as free again when its failure is recorded', async () => {
  const { run, errors, read } = await overrun({}, (tries) => tries % 2 === 1)
  await run()
  await run()
  expect(await read()).toMatchObject({ failures: 2 })
  expect(errors).toHaveLength(2)
  expect(errors.map(String).filter((error) => error.includes('places'))).toEqual([])
})

test('a failure that was recorded on the first try frees no slot twice', async () => {
  const fails = [false, false, true, true, true, true]
  const { run, errors } = await overrun({ concurrency: 1 }, () => fails.shift() ?? false)
  await run()
  await run()
  await run()
  expect(errors.map(String).filter((error) => error.includes('places'))).toEqual([
    'Error: all 1 places are taken by handlers that run past handlerTimeoutSeconds; nothing else runs until they end ' +
      'or their claims expire; fix: stop the work of a handler when context.signal aborts',
  ])
})
