import { afterAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { JobNotDone, StoreError } from '../../src/errors.js'
import type { Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { ReceiverWorker } from '../../src/worker.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'
import { secret, settled } from './deliver.js'
import { accepted } from './worker-rig.js'

afterAll(removeFiles)

const patiently = { timeout: 15_000, interval: 20 }

it('runs no job of another endpoint, and counts no attempt for it', async () => {
  const handler = vi.fn()
  const { worker, job, inspect } = await accepted({ fallback: handler })
  await expect(worker.run({ ...job, endpoint: 'other' })).rejects.toMatchObject({
    isAttempt: false,
    message: 'the job is of endpoint other',
  })
  expect(handler).not.toHaveBeenCalled()
  expect(await inspect()).toMatchObject({ state: 'accepted' })
})

it('does nothing for an event that is done, dead or not in the inbox', async () => {
  const handler = vi.fn()
  const { worker, job, store, results } = await accepted({ fallback: handler })
  await worker.run({ ...job, key: 'unknown' })
  expect(handler).not.toHaveBeenCalled()
  await worker.run(job)
  const told = results.map(({ outcome, source }) => `${outcome} from ${source}`)
  expect(told).toEqual(['accepted from delivery', 'processed from queue'])
  await worker.run(job)
  expect(handler).toHaveBeenCalledTimes(1)
  expect(results).toHaveLength(2)
  const dead = await accepted({ fallback: handler })
  await dead.store.inbox.markDead(dead.job.key, 'the end')
  await dead.worker.run(dead.job)
  expect(handler).toHaveBeenCalledTimes(1)
  await store.close()
})

it('counts a failure of the handler as an attempt, and reports the reason', async () => {
  const { worker, job } = await accepted({
    fallback() {
      throw new RangeError('no such account')
    },
  })
  await expect(worker.run(job)).rejects.toMatchObject({
    isAttempt: true,
    message: 'handler_failed: RangeError: no such account',
  })
})

it('counts no attempt if another process runs the event', async () => {
  const { worker, job, store, path } = await accepted({ handlerTimeoutSeconds: 1 })
  const stored = await store.inbox.read(job.key)
  let end = () => {}
  const other = sqliteStore(path).once(
    { ...(stored as NonNullable<typeof stored>), durations: durations },
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: false, message: 'in_progress' })
  end()
  await other
})

it('counts no attempt if the store does not answer', async () => {
  const store = sqliteStore(newFile())
  const { worker, job } = await accepted({
    store: { ...store, once: () => Promise.reject(new StoreError('down')) },
  })
  await expect(worker.run(job)).rejects.toMatchObject({
    isAttempt: false,
    message: expect.stringContaining('store_unavailable'),
  })
})

it('has made an event dead when its run ends, if its data does not fit the schema', async () => {
  const handler = vi.fn()
  const { worker, job, inspect, results, logger } = await accepted({
    fallback: handler,
    schemas: { 'transfer.settled': z.object({ data: z.object({ absent: z.string() }) }) },
  })
  await worker.run(job)
  expect(await inspect()).toMatchObject({
    state: 'dead',
    lastError: expect.stringMatching(/^invalid_data: \S/),
  })
  expect(results.at(-1)).toMatchObject({ outcome: 'quarantined', source: 'queue', code: 'invalid_data' })
  expect(logger.written.at(-1)).toMatch(
    /^warn webhook-inbox: event evt_1 \(transfer\.settled\) is dead: invalid_data/,
  )
  expect(handler).not.toHaveBeenCalled()
})

it('reports nothing for an event that another process has done since it was found', async () => {
  const { worker, job, store, results, inspect } = await accepted()
  const found = await store.inbox.read(job.key)
  await worker.run(job)
  expect(await inspect()).toMatchObject({ state: 'done' })
  await worker.run(job, found)
  expect(results.map(({ outcome }) => outcome)).toEqual(['accepted', 'processed'])
})

it('logs the event that has no attempt left, with what its handler threw, or its key if it is gone', async () => {
  const { worker, job, logger, inspect } = await accepted()
  const cause = new RangeError('no such account')
  await worker.markDead({ ...job, key: 'gone' }, 'thrown as text')
  await worker.markDead(job, new JobNotDone('handler_failed: no such account', true, { cause }))
  const line = (name: string, thrown: string) =>
    expect.stringMatching(
      new RegExp(
        `^error webhook-inbox: event ${name} \\(transfer\\.settled\\) is dead: no attempt is left; ${thrown}.*; fix: correct the cause, then replay the event$`,
      ),
    )
  expect(logger.written.slice(-2)).toEqual([
    line('gone', 'thrown: thrown as text'),
    line(settled.id, 'RangeError: no such account'),
  ])
  expect(await inspect()).toMatchObject({ state: 'dead', lastError: 'handler_failed: no such account' })
})

it('counts an attempt if this process has no handler for the type, and reports it', async () => {
  const { job, store } = await accepted()
  let worker: Worker | undefined
  const other = createReceiver({
    secret,
    store,
    logger: false,
    handlers: { 'transfer.failed': () => {} },
    queue: {
      guarantee: '',
      async consume(given: Worker) {
        worker = given
        return async () => {}
      },
    },
  })
  await other.start()
  await expect(worker?.run(job)).rejects.toMatchObject({
    isAttempt: true,
    message: 'no handler for transfer.settled in this process',
  })
})

it('marks an event dead if its stored body was changed, and reports the reason on every run', async () => {
  const handler = vi.fn()
  const path = newFile()
  const { receiver, logger, inspect } = await accepted(
    { fallback: handler, queue: localQueue({ pollSeconds: 0.05 }) },
    path,
  )
  await receiver.stop()
  handler.mockClear()
  const database = open(path)
  const body = Buffer.from(JSON.stringify({ ...settled, data: { ...settled.data, amount: 'forged' } }))
  database.exec(
    `UPDATE webhook_inbox_events SET body = x'${body.toString('hex')}', state = 'accepted', due_at = 0`,
  )
  database.close()
  await receiver.start()
  await expect.poll(async () => (await inspect())?.state, patiently).toBe('dead')
  expect((await inspect())?.lastError).toMatch(/does not match its content hash/)
  expect(logger.written.filter((line) => line.includes('does not match its content hash'))).toHaveLength(1)
  expect(handler).not.toHaveBeenCalled()
  await receiver.stop()
})

it('counts no attempt for a handler that stop aborts, and leaves one that has ended alone', async () => {
  const signals: AbortSignal[] = []
  const worker: { current?: ReceiverWorker } = {}
  const runs: Promise<unknown>[] = []
  const { receiver, job } = await accepted({
    queue: {
      guarantee: '',
      async consume(given: ReceiverWorker) {
        worker.current = given
        return async () => void (await Promise.allSettled(runs))
      },
    },
    fallback: (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return signals.length === 1
        ? Promise.reject(new Error('at once'))
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
    },
  })
  await expect(worker.current?.run(job)).rejects.toMatchObject({ isAttempt: true })
  const run = worker.current?.run(job) as Promise<void>
  runs.push(run)
  const outcome = run.then(undefined, (error: unknown) => error)
  await expect.poll(() => signals, patiently).toHaveLength(2)
  await receiver.stop({ drainSeconds: 0.1 })
  expect(await outcome).toMatchObject({ isAttempt: false })
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
})

it('aborts running handlers when stop has waited long enough, and counts no attempt', async () => {
  const reasons: unknown[] = []
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const { receiver, inspect } = await accepted({
    queue: localQueue({ pollSeconds: 0.05, onError: () => {} }),
    fallback: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          reject(signal.reason)
        })
        begin()
      }),
  })
  await begun
  await receiver.stop({ drainSeconds: 0.1 })
  await expect.poll(() => reasons, patiently).toHaveLength(1)
  expect(String(reasons[0])).toContain('the receiver stopped after 0.1 s')
  await expect
    .poll(inspect, patiently)
    .toMatchObject({ failures: 0, attempts: [{ attempt: 1, isUncounted: true }] })
})

const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 1 }
