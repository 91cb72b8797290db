import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { JobRunner } from '../../src/queue/job-runner.js'
import { toJob } from '../../src/queue/listed-job.js'
import type { Worker } from '../../src/queue/queue.js'
import { createReceiver } from '../../src/receiver.js'
import type { PauseTarget } from '../../src/store/flow-store.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { defaultRetry } from '../../src/timing/backoff.js'
import { Shutdown } from '../../src/timing/shutdown.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})
afterAll(removeFiles)

const audit = { reason: 'the ledger is down', actor: 'suite' }
const paused = { name: 'JobHeld', reason: 'paused', retryAfterSeconds: undefined }
const circuitOpen = { name: 'JobHeld', reason: 'circuit_open' }
type Options = Partial<Parameters<typeof createReceiver>[0]>

/** A receiver whose engine keeps a list of its own, so the worker gets jobs that the inbox holds back. */
async function engine(options: Options = {}, path = newFile()) {
  const store = sqliteStore(path)
  let worker: Worker | undefined
  const resumed = vi.fn()
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: {
      guarantee: '',
      resumed,
      async consume(given: Worker) {
        worker = given
        return async () => {}
      },
    },
    logger: false,
    fallback: () => {},
    ...options,
  } as never)
  await receiver.start()
  closing.push(() => receiver.stop())
  const sender = testSender({ receiver })
  return {
    receiver,
    store,
    flow: store.inbox.flow as NonNullable<typeof store.inbox.flow>,
    worker: worker as Worker,
    resumed,
    /** Accepts an event. Returns how to run its job. */
    async accept(type = 'transfer.settled') {
      const { eventId } = await sender.send(type as 'transfer.settled')
      const stored = (await receiver.inspect(eventId as string)) as StoredEvent
      return () => (worker as Worker).run(toJob(stored))
    },
  }
}

/** What this process read is older than the second for which it counts. */
const outdate = () => new Promise((resolve) => setTimeout(resolve, 1050))

test.each<[Omit<PauseTarget, 'endpoint'>, string | undefined, boolean]>([
  [{}, undefined, true],
  [{}, 'r', true],
  [{ type: 'transfer.settled' }, undefined, true],
  [{ type: 'transfer.settled' }, 'r', true],
  [{ type: 'transfer.failed' }, 'r', false],
  [{ resource: 'r' }, 'r', true],
  [{ resource: 's' }, 'r', false],
  [{ resource: 'r' }, undefined, false],
])('a pause of %j holds the job of an event with the resource %j: %j', async (target, resource, isHeld) => {
  const { receiver, accept, worker, resumed } = await engine({ resource: () => resource })
  const run = await accept()
  expect(worker.priorityOf?.('transfer.settled')).toBeUndefined()
  await receiver.pause(target, audit)
  expect(resumed).not.toHaveBeenCalled()
  if (isHeld) {
    await expect(run()).rejects.toMatchObject(paused)
    await receiver.resume(target, audit)
    expect(resumed).toHaveBeenCalled()
  }
  await run()
})

test('a pause holds an event whose process died too often, and nothing marks it dead', async () => {
  const { receiver, store, worker } = await engine()
  const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
  const stored = (await receiver.inspect(eventId)) as StoredEvent
  const runner = new JobRunner({
    worker,
    inbox: store.inbox,
    retry: { ...defaultRetry, attempts: 5 },
    concurrency: 1,
    shutdown: new Shutdown(),
    onError: (error) => expect.unreachable(String(error)),
  })
  const take = () => runner.take(toJob(stored), { addNextAttempt: async () => {}, add: async () => {} }, 5)
  await receiver.pause({}, audit)
  expect(await take()).toMatchObject({ state: 'held', error: paused })
  expect(await receiver.inspect(eventId)).toMatchObject({ state: 'accepted' })
  await receiver.resume({}, audit)
  expect(await take()).toMatchObject({ state: 'dead' })
  expect(await receiver.inspect(eventId)).toMatchObject({ state: 'dead' })
})

test('a pause and a resume of another process count within a second', async () => {
  const path = newFile()
  const here = await engine({}, path)
  const there = await engine({}, path)
  const first = await here.accept()
  const second = await here.accept()
  await first()
  await there.receiver.pause({}, audit)
  await outdate()
  await expect(second()).rejects.toMatchObject(paused)
  await there.receiver.resume({}, audit)
  here.resumed.mockClear()
  await outdate()
  await second()
  // The engine dropped the jobs that were held, so it is told.
  expect(here.resumed).toHaveBeenCalled()
})

test('an open circuit holds the jobs of its type back, and then lets one try at a time', async () => {
  const end = deferred<void>()
  let isBroken = true
  const tried: string[] = []
  const { accept, flow, resumed } = await engine({
    breaker: { failures: 2, retryAfterSeconds: 1.2 },
    fallback: async ({ type }: WebhookEvent) => {
      tried.push(type)
      if (type === 'transfer.settled' && isBroken) {
        throw new Error('the ledger is down')
      }
      if (type === 'transfer.settled') {
        await end.promise
      }
    },
  })
  const [first, second, third] = [await accept(), await accept(), await accept()]
  await expect(first()).rejects.toMatchObject({ name: 'JobNotDone' })
  await expect(first()).rejects.toMatchObject({ name: 'JobNotDone' })
  await expect(first()).rejects.toMatchObject(circuitOpen)
  await (await accept('transfer.failed'))()
  expect(tried).toEqual(['transfer.settled', 'transfer.settled', 'transfer.failed'])
  expect(resumed).not.toHaveBeenCalled()
  isBroken = false
  // The process looks again by itself when a trial may begin.
  await expect.poll(() => resumed.mock.calls.length, { timeout: 15_000 }).toBe(1)
  const trial = second()
  await expect.poll(() => tried.length).toBe(4)
  await expect(third()).rejects.toMatchObject(circuitOpen)
  end.resolve()
  await trial
  expect((await flow.holds('default')).circuits).toEqual([])
  await third()
})

test('a trial that fails opens the circuit again', async () => {
  const { accept } = await engine({
    breaker: { failures: 1, retryAfterSeconds: 1.2 },
    fallback: () => {
      throw new Error('the ledger is down')
    },
  })
  const run = await accept()
  await expect(run()).rejects.toMatchObject({ name: 'JobNotDone' })
  await expect
    .poll(() => run().catch(({ name }) => name), { timeout: 15_000, interval: 100 })
    .toBe('JobNotDone')
  await expect(run()).rejects.toMatchObject(circuitOpen)
})

test('an event that was not tried counts neither as a failure nor as a success', async () => {
  const { accept, flow } = await engine({
    breaker: { failures: 2, retryAfterSeconds: 60 },
    fallback: ({ id }: WebhookEvent) => {
      throw new Error(`refused ${id}`)
    },
  })
  const run = await accept()
  await expect(run()).rejects.toMatchObject({ name: 'JobNotDone' })
  const count = async () => (await flow.holds('default')).circuits.map(({ failures }) => failures)
  expect(await count()).toEqual([1])
  await flow.pause({ endpoint: 'default' }, audit)
  await outdate()
  await expect(run()).rejects.toMatchObject(paused)
  expect(await count()).toEqual([1])
})

test('a job over its limit is told when to come back, and a run that ends frees its place', async () => {
  const end = deferred<void>()
  const { accept } = await engine({
    limits: { byType: { 'transfer.settled': { concurrency: 1 } } },
    fallback: () => end.promise,
  })
  const [first, second] = [await accept(), await accept()]
  const running = first()
  await expect(second()).rejects.toMatchObject({
    reason: 'rate_limited',
    retryAfterSeconds: expect.closeTo(1),
  })
  end.resolve()
  await running
  await second()
})

test('each type has its priority, and a type without one has 0', async () => {
  const { worker } = await engine({ priorities: { 'transfer.failed': 7 } })
  expect(
    ['transfer.failed', 'transfer.settled', 'constructor'].map((type) => worker.priorityOf?.(type)),
  ).toEqual([7, 0, 0])
})
