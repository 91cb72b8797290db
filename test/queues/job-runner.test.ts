import { expect, test, vi } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { JobRunner, type JobRunnerSettings, toJob } from '../../src/queue/job-runner.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

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

/** A runner on a real inbox with one accepted event, whose handler fails. */
async function failing(over: Partial<JobRunnerSettings> = {}, about: { resource?: string } = {}) {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const accept = async () => {
    const event = newEvent(about)
    await inbox.accept(event, nothing as never)
    return toJob((await inbox.read(event.key)) as NonNullable<Awaited<ReturnType<typeof inbox.read>>>)
  }
  const job = await accept()
  const steps: string[] = []
  const listed: string[] = []
  const runner = new JobRunner({
    worker: {
      endpoint: job.endpoint,
      run: () => Promise.reject(new JobNotDone('failed')),
      markDead: ({ key }) => inbox.markDead(key, 'the end'),
    },
    inbox: {
      ...inbox,
      async postpone(...args) {
        steps.push('noted')
        await inbox.postpone(...args)
      },
    },
    retry: { ...defaultRetry, attempts: 2 },
    concurrency: 1,
    shutdown: new Shutdown(),
    onError: (error) => steps.push(String(error)),
    ...over,
  })
  const list = {
    async addNextAttempt() {
      await new Promise((resolve) => setTimeout(resolve, 50))
      steps.push('listed')
    },
    add: async ({ key }: { key: string }) => listed.push(key),
  }
  return { inbox, accept, job, runner, list, steps, listed }
}

test('adds the next job before it records the failure, so that a crash leaves no event without a job', async () => {
  const { runner, job, list, steps } = await failing()
  expect(await runner.take(job, list)).toMatchObject({ state: 'failed' })
  expect(steps).toEqual(['listed', 'noted'])
})

test('counts one failure when two jobs of one attempt fail', async () => {
  const { runner, job, list, inbox } = await failing()
  expect(await runner.take(job, list)).toMatchObject({ state: 'failed' })
  expect(await runner.take(job, list)).toMatchObject({ state: 'over' })
  expect(await inbox.read(job.key)).toMatchObject({ state: 'failed', failures: 1 })
  expect(await runner.take({ ...job, failures: 1 }, list)).toMatchObject({ state: 'dead' })
  expect(await inbox.read(job.key)).toMatchObject({ state: 'dead' })
})

test('does not retry a record that fails for another reason than the store', async () => {
  let tries = 0
  const { runner, job, list } = await failing({
    retry: { ...defaultRetry, attempts: 1 },
    worker: {
      endpoint: 'default',
      run: () => Promise.reject(new Error('failed')),
      async markDead() {
        tries++
        throw new TypeError('a bug')
      },
    },
  })
  expect(await runner.take(job, list)).toMatchObject({ state: 'untried', error: expect.any(TypeError) })
  expect(tries).toBe(1)
})

test('waits before it calls the store again', async () => {
  const times: number[] = []
  const { runner, job, list } = await failing({
    retry: { ...defaultRetry, attempts: 1 },
    worker: {
      endpoint: 'default',
      run: () => Promise.reject(new Error('failed')),
      async markDead() {
        times.push(performance.now())
        if (times.length < 3) {
          throw new StoreError('held')
        }
      },
    },
  })
  expect(await runner.take(job, list)).toMatchObject({ state: 'dead' })
  expect((times[2] as number) - (times[0] as number)).toBeGreaterThan(1500)
})

test('adds a job for the next event of a resource when one is dead, unless it waits for a retry', async () => {
  const about = { resource: 'tr_1' }
  const { runner, job, list, accept, listed, inbox } = await failing(
    { retry: { ...defaultRetry, attempts: 1 } },
    about,
  )
  const next = await accept()
  expect(await runner.take(next, list)).toMatchObject({ state: 'over' })
  expect(listed).toEqual([])
  expect(await runner.take(job, list)).toMatchObject({ state: 'dead' })
  expect(listed).toEqual([next.key])

  const other = await failing({ retry: { ...defaultRetry, attempts: 1 } }, about)
  const paused = await other.accept()
  await other.inbox.postpone(paused.key, 3600, 'later')
  expect(await other.runner.take(other.job, other.list)).toMatchObject({ state: 'dead' })
  expect(other.listed).toEqual([])
  expect(await inbox.read(next.key)).toMatchObject({ state: 'accepted' })
})

test('adds a job for the next event of a resource when one is done', async () => {
  const about = { resource: 'tr_1' }
  const { runner, job, list, accept, listed, inbox } = await failing(
    {
      worker: {
        endpoint: 'default',
        run: (job) => finish(job),
        markDead: async () => {},
      },
    },
    about,
  )
  const finish = ({ key }: { key: string }) => inbox.markDead(key, 'done in another way')
  const next = await accept()
  // Its retry was due long ago, so it waits for nothing.
  await inbox.postpone(next.key, 0, 'earlier')
  expect(await runner.take(job, list)).toEqual({ state: 'over' })
  expect(listed).toEqual([next.key])
})

test('adds no job for an event that its own job has left open', async () => {
  const { runner, job, list, listed } = await failing(
    { worker: { endpoint: 'default', run: async () => {}, markDead: async () => {} } },
    { resource: 'tr_1' },
  )
  expect(await runner.take(job, list)).toEqual({ state: 'over' })
  expect(listed).toEqual([])
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
