import { afterAll, expect, test } from 'vitest'
import { HandlerFailure, NotCalled } from '../../src/errors.js'
import { JobRunner } from '../../src/queue/job-runner.js'
import { type JobList, toJob } from '../../src/queue/listed-job.js'
import { unnotedFailure } from '../../src/queue/open-event.js'
import type { Inbox, StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { pause } from '../../src/testing/laws.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

const list: JobList = { addNextAttempt: nothing, add: nothing }

/** An accepted event, whose first job another worker runs, and a second job for it. */
async function twoJobs(leaseSeconds = 60) {
  const store = sqliteStore(newFile())
  const inbox = store.inbox as unknown as Inbox<unknown>
  const event = newEvent({ durations: { ...newEvent().durations, leaseSeconds } })
  await inbox.accept(event, nothing as never)
  const read = async () => (await inbox.read(event.key)) as StoredEvent
  const job = toJob(await read())
  let runs = 0
  const shutdown = new Shutdown()
  const runner = new JobRunner({
    worker: {
      endpoint: event.endpoint,
      async run(_job, found, admit) {
        await admit?.(found ?? (await read()))
        runs++
      },
      markDead: nothing,
    },
    inbox,
    retry: defaultRetry,
    concurrency: 1,
    shutdown,
    onError: () => {},
  })
  return {
    read,
    runs: () => runs,
    take: (failures = 0, generation = 0) => runner.take({ ...job, failures, generation }, list),
    /** Runs what a search finds, as an engine without a list does. */
    async search() {
      const [found] = await inbox.due(1)
      return found && runner.run(found)
    },
    replay: () => inbox.requeue(event.key, { reason: 'corrected', actor: 'ops' }, nothing),
    postpone: (seconds = 3600) => inbox.postpone(event.key, seconds, 'no such account'),
    stop: () => shutdown.begin(),
    async fail(before: () => Promise<unknown> = nothing) {
      const failed = store.once({ ...event, isKept: true }, async () => {
        await before()
        throw new Error('no such account')
      })
      await expect(failed).rejects.toThrow()
    },
  }
}

test('an event that has failed runs only when its pause has ended, and only from its next job', async () => {
  const { fail, take, postpone, runs } = await twoJobs()
  await fail()
  expect(await take()).toMatchObject({ state: 'untried', isElsewhere: true })
  await postpone()
  expect(await take()).toEqual({ state: 'over' })
  const held = await take(1)
  expect(held).toMatchObject({ state: 'held', isStillFound: false })
  expect((held as { retryAfterSeconds?: number }).retryAfterSeconds).toBeCloseTo(3600, -2)
  expect(runs()).toBe(0)
  await postpone(0)
  expect(await take(2)).toEqual({ state: 'over' })
  expect(runs()).toBe(1)
})

test('a job that comes a moment before the end of the pause waits for it', async () => {
  const { take, postpone, read, runs } = await twoJobs()
  await postpone(0.2)
  const due = Date.parse((await read()).retryAt as string)
  expect(await take(1)).toEqual({ state: 'over' })
  expect(runs()).toBe(1)
  expect(Date.now()).toBeGreaterThanOrEqual(due - 5)
})

test('a job that waits for the end of the pause does not run its event when the queue stops', async () => {
  const { take, postpone, stop, runs } = await twoJobs()
  await postpone(0.2)
  const taken = take(1)
  stop()
  expect(await taken).toMatchObject({ state: 'untried', isElsewhere: false })
  expect(runs()).toBe(0)
})

/** Waits until the lease of a failed attempt would have ended. */
const untilDue = async (read: () => Promise<StoredEvent>) =>
  pause((Date.parse((await read()).retryAt as string) - Date.now()) / 1000 + 0.01)

test('a failure counts when its lease would have ended, if the worker of the attempt has died', async () => {
  const { fail, take, read, runs } = await twoJobs(1)
  await fail()
  expect(await take()).toMatchObject({ state: 'untried' })
  const { group } = await read()
  await untilDue(read)
  expect(await take()).toMatchObject({ state: 'failed' })
  expect(runs()).toBe(0)
  const noted = await read()
  expect(noted).toMatchObject({ state: 'failed', failures: 1, lastError: 'Error: no such account', group })
  expect(noted.attempts).toEqual([expect.objectContaining({ attempt: 1, retryAt: noted.retryAt })])
  expect(noted.isBeforeRetry).toBe(true)
})

test('a failure counts for an engine that searches, also beside failures of another kind', async () => {
  const { fail, search, postpone, read, runs } = await twoJobs(1)
  // No handler was there, so its attempt is not counted.
  await postpone(0)
  await fail()
  expect(await search()).toBeUndefined()
  await untilDue(read)
  expect(await search()).toMatchObject({ state: 'failed' })
  expect(runs()).toBe(0)
  expect(await read()).toMatchObject({ attempt: 1, failures: 2 })
})

test.each([
  ['was not called', new NotCalled('the claim came too late')],
  ['was told to stop', new HandlerFailure(new Error('aborted'), undefined, 1, false)],
])('an event whose handler %s runs when its lease would have ended, and nothing counts', async (_, error) => {
  const { fail, take, read, runs } = await twoJobs(1)
  await fail(() => Promise.reject(error))
  expect((await read()).attempts).toEqual([expect.objectContaining({ attempt: 1, isUncounted: true })])
  expect(await take()).toMatchObject({ state: 'untried' })
  await untilDue(read)
  expect(await take()).toEqual({ state: 'over' })
  expect(runs()).toBe(1)
  expect(await read()).toMatchObject({ failures: 0 })
})

test('a handler that fails again after its time limit leaves the pause that is noted', async () => {
  const { fail, take, read, postpone, runs } = await twoJobs()
  await fail(postpone)
  const { attempts } = await read()
  expect(attempts?.map(({ attempt, retryAt }) => [attempt, typeof retryAt])).toEqual([
    [1, 'string'],
    [1, 'undefined'],
  ])
  const held = await take(1)
  expect((held as { retryAfterSeconds?: number }).retryAfterSeconds).toBeCloseTo(3600, -2)
  expect(runs()).toBe(0)
})

test('an event waits for the pause of its last attempt only, whatever was noted of earlier ones', async () => {
  const { fail, take, postpone, replay, runs } = await twoJobs()
  await fail()
  await postpone()
  await fail()
  expect(await take(1)).toMatchObject({ state: 'untried' })
  await postpone()
  await replay()
  await fail()
  expect(await take(0, 1)).toMatchObject({ state: 'untried' })
  expect(runs()).toBe(0)
})

test('an event of a store that keeps no attempts runs when its next job comes', async () => {
  const { fail, read } = await twoJobs()
  await fail()
  const { attempts, ...event } = await read()
  expect(unnotedFailure({ ...event, attempts: attempts ?? [] })).toMatchObject({ attempt: 1 })
  expect(unnotedFailure(event)).toBeUndefined()
})
