import { expect, test } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { JobRunner, type JobRunnerSettings } from '../../src/queue/job-runner.js'
import { toJob } from '../../src/queue/listed-job.js'
import type { Inbox } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

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
  const retry = { ...defaultRetry, attempts: 2, firstPauseSeconds: 0.1 }
  const { runner, job, list, inbox } = await failing({ retry })
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

test('leaves an event alone that was replayed while its worker was stopped', async () => {
  const replay: { now: () => Promise<unknown> } = { now: async () => {} }
  const { runner, job, list, inbox, steps } = await failing({
    worker: {
      endpoint: 'default',
      async run() {
        await replay.now()
        throw new JobNotDone('failed')
      },
      markDead: () => Promise.reject(new Error('must not be called')),
    },
    retry: { ...defaultRetry, attempts: 1 },
  })
  replay.now = async () => {
    await inbox.markDead(job.key, 'another worker took over')
    await inbox.requeue(job.key, { reason: 'corrected', actor: 'suite' }, nothing as never)
  }
  expect(await runner.take(job, list)).toEqual({ state: 'over' })
  expect(steps).toEqual([])
  expect(await inbox.read(job.key)).toMatchObject({ state: 'accepted', generation: 1, failures: 0 })
})

test('counts a failure once if only the reply of the store was lost', async () => {
  const inbox = sqliteStore(newFile()).inbox as unknown as Inbox<unknown>
  const event = newEvent()
  await inbox.accept(event, nothing as never)
  let notes = 0
  const { runner, list } = await failing({
    worker: {
      endpoint: 'default',
      run: () => Promise.reject(new JobNotDone('failed')),
      markDead: async () => {},
    },
    inbox: {
      ...inbox,
      async postpone(...args) {
        await inbox.postpone(...args)
        if (++notes === 1) {
          throw new StoreError('the connection broke')
        }
      },
    },
  })
  const job = toJob((await inbox.read(event.key)) as NonNullable<Awaited<ReturnType<typeof inbox.read>>>)
  expect(await runner.take(job, list)).toMatchObject({ state: 'failed' })
  expect(notes).toBe(1)
  expect(await inbox.read(event.key)).toMatchObject({ state: 'failed', failures: 1 })
})

test('runs an event that was found without its body with its body, and not if it was discarded since', async () => {
  const bodies: string[] = []
  const { inbox, accept, job } = await failing()
  const settings = { retry: { ...defaultRetry }, concurrency: 1, shutdown: new Shutdown(), onError() {} }
  const run = async (_: unknown, event?: { body: Uint8Array; bodyBytes?: number | undefined }) => {
    bodies.push(`${Buffer.from(event?.body ?? [])} ${event?.bodyBytes}`)
  }
  const worker = { endpoint: job.endpoint, run, markDead: nothing } as JobRunnerSettings['worker']
  const runner = new JobRunner({ ...settings, worker, inbox })
  const other = await accept()
  const [found, discarded] = await inbox.due(2, job.endpoint, { bodies: false })
  await inbox.markDead(other.key, 'given up')
  await inbox.discard(other.key, { reason: 'a test', actor: 'suite' }, 60)
  expect([found?.body.length, discarded?.key]).toEqual([0, other.key])
  expect(await runner.run(found as NonNullable<typeof found>)).toEqual({ state: 'over' })
  expect(await runner.run(discarded as NonNullable<typeof found>)).toEqual({ state: 'over' })
  expect(bodies).toEqual([expect.stringMatching(/^body of .* undefined$/)])
})

test('reports an event as dead also if only the reply of the store was lost', async () => {
  let notes = 0
  const { runner, job, list, inbox } = await failing({
    retry: { ...defaultRetry, attempts: 1 },
    worker: {
      endpoint: 'default',
      run: () => Promise.reject(new JobNotDone('failed')),
      async markDead({ key, generation, failures = 0 }) {
        await inbox.markDead(key, 'the end', undefined, { generation, failures })
        // What follows in a worker, the log and the telemetry, is reached at the second time only.
        if (++notes === 1) {
          throw new StoreError('the connection broke')
        }
      },
    },
  })
  expect(await runner.take(job, list)).toMatchObject({ state: 'dead' })
  expect(notes).toBe(2)
  expect(await inbox.read(job.key)).toMatchObject({ state: 'dead', failures: 1 })
})
