import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing, open } from '../stores/sqlite-rig.js'
import { localPrograms } from './local-program.js'

const program = localPrograms()

const patiently = { timeout: 15_000, interval: 20 }

describe('the local queue', () => {
  test('does not count a crash as a failed attempt', async () => {
    const path = newFile()
    const event = newEvent()
    const victim = sqliteStore(path)
    await victim.inbox.accept(event, nothing)
    const abandoned = { ...event, durations: { ...event.durations, leaseSeconds: 0.05, workSeconds: 0.02 } }
    for (let attempt = 1; attempt <= 3; attempt++) {
      // Use another store, as after a restart. In one store a concurrent delivery would join the run that never ends.
      void sqliteStore(path).once(abandoned, () => new Promise(() => {}))
      await expect.poll(async () => (await victim.inbox.read(event.key))?.attempt, patiently).toBe(attempt)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    let runs = 0
    const stop = await localQueue({
      retry: { attempts: 2, firstPauseSeconds: 0.01 },
      pollSeconds: 0.05,
    }).consume(
      {
        endpoint: event.endpoint,
        async run() {
          await victim.once(event, async () => {
            if (++runs === 1) {
              throw new Error('the first failure')
            }
          })
        },
        markDead: async ({ key }) => victim.inbox.markDead(key, 'given up'),
      },
      victim.inbox,
    )
    await expect.poll(async () => (await victim.inbox.read(event.key))?.state, patiently).toBe('done')
    await stop()
    expect(runs).toBe(2)
  })

  test('keeps the retry delay across a restart', async () => {
    const path = newFile()
    let runs = 0
    const failing = () => {
      runs++
      throw new Error('no')
    }
    const retry = { firstPauseSeconds: 3600 }
    const first = await program(path, failing, { retry, pollSeconds: 0.05 })
    const id = await first.accept()
    await expect.poll(() => first.state(id), patiently).toBe('failed')
    await expect.poll(async () => (await first.receiver.inspect(id))?.failures, patiently).toBe(1)
    await first.receiver.stop()
    const second = await program(path, failing, { retry, pollSeconds: 0.05 })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(runs).toBe(1)
    const retryAt = Date.parse((await second.receiver.inspect(id))?.retryAt ?? '')
    expect(retryAt - Date.now()).toBeGreaterThan(1700_000)
    expect(retryAt - Date.now()).toBeLessThan(3600_000)
  })

  test('runs a retry on time even if a timer fires early', async () => {
    const { setTimeout: real } = globalThis
    // Node fires a timer up to a millisecond early. Here it is three, so that the time of a commit does not hide it.
    const early = (run: () => void, delay = 0, ...rest: []) => real(run, Math.max(0, delay - 3), ...rest)
    vi.stubGlobal('setTimeout', early)
    onTestFinished(() => void vi.unstubAllGlobals())
    let runs = 0
    const handler = () => {
      if (++runs % 2 === 1) {
        throw new Error('the first attempt')
      }
    }
    const retry = { firstPauseSeconds: 0.02 }
    const { accept, state } = await program(newFile(), handler, { retry, pollSeconds: 3600 })
    for (let round = 0; round < 10; round++) {
      const id = await accept()
      await expect.poll(() => state(id), patiently).toBe('done')
    }
  })

  test('counts an overdue handler as a failed attempt, and accepts its late success', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 800))
    const { receiver, accept, state } = await program(
      newFile(),
      slow,
      { pollSeconds: 0.05, retry: { firstPauseSeconds: 60 } },
      { handlerTimeoutSeconds: 0.2 },
    )
    const id = await accept()
    await expect.poll(async () => (await receiver.inspect(id))?.failures, patiently).toBe(1)
    expect((await receiver.inspect(id))?.lastError).toBe('handler_timeout')
    await expect.poll(() => state(id), patiently).toBe('done')
  })

  test('continues while the inbox is unavailable, logs that, and counts no attempt', async () => {
    const path = newFile()
    const errors: unknown[] = []
    let runs = 0
    const { receiver, accept, state, store } = await program(path, () => runs++, {
      pollSeconds: 0.05,
      retry: { attempts: 1 },
      onError: (error) => errors.push(error),
    })
    await store.check()
    const saboteur = open(path)
    saboteur.exec(
      `CREATE TRIGGER down BEFORE UPDATE ON webhook_inbox_events BEGIN SELECT RAISE(ABORT, 'down'); END`,
    )
    const id = await accept()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect([runs, await state(id)]).toEqual([0, 'accepted'])
    saboteur.exec('DROP TRIGGER down; ALTER TABLE webhook_inbox_events RENAME TO hidden')
    await expect.poll(() => errors.length, patiently).toBeGreaterThan(0)
    expect(errors[0]).toBeInstanceOf(StoreError)
    saboteur.exec('ALTER TABLE hidden RENAME TO webhook_inbox_events')
    await expect.poll(() => state(id), patiently).toBe('done')
    expect((await receiver.inspect(id))?.failures).toBe(0)
  })

  test('distinguishes a failed attempt from a handler that did not run', async () => {
    const { inbox } = sqliteStore(newFile())
    const event = newEvent()
    const errors = [
      new JobNotDone('held', false),
      new StoreError('down'),
      new JobNotDone('failed'),
      new Error('any'),
    ]
    const failures: unknown[] = []
    const stop = await localQueue({ pollSeconds: 0.05, retry: { firstPauseSeconds: 0.01 } }).consume(
      {
        endpoint: event.endpoint,
        async run({ key }) {
          failures.push((await inbox.read(key))?.failures)
          const error = errors.shift()
          if (error) {
            throw error
          }
          await inbox.markDead(key, 'the end')
        },
        markDead: async () => {},
      },
      inbox,
    )
    await inbox.accept(event, nothing)
    await expect.poll(() => failures, patiently).toEqual([0, 0, 0, 1, 2])
    await stop()
  })

  test('counts a failed attempt that the store cannot record at first, and retries only afterwards', async () => {
    const { inbox } = sqliteStore(newFile())
    const event = newEvent()
    let runs = 0
    let faults = 2
    const noted: unknown[] = []
    const stop = await localQueue({ pollSeconds: 0.05, onError: nothing }).consume(
      {
        endpoint: event.endpoint,
        async run() {
          runs++
          throw new JobNotDone('over its budget, and going on')
        },
        markDead: async () => {},
      },
      {
        ...inbox,
        async postpone(...durations) {
          if (faults-- > 0) {
            throw new StoreError('its handler holds the event')
          }
          await inbox.postpone(...durations)
          noted.push((await inbox.read(event.key))?.failures)
          await inbox.markDead(event.key, 'the end')
        },
      },
    )
    await inbox.accept(event, nothing)
    await expect.poll(async () => (await inbox.read(event.key))?.state, patiently).toBe('dead')
    expect([runs, noted]).toEqual([1, [1]])
    await stop()
  })

  test('runs a retry on time, without a search', async () => {
    let runs = 0
    const { accept, state } = await program(
      newFile(),
      () => {
        if (++runs === 1) {
          throw new Error('once')
        }
      },
      { pollSeconds: 3600, retry: { firstPauseSeconds: 0.2 } },
    )
    const id = await accept()
    await expect.poll(() => state(id), patiently).toBe('done')
  })

  test('waits before it retries an event that another process holds', async () => {
    const { inbox } = sqliteStore(newFile())
    const event = newEvent()
    let runs = 0
    const stop = await localQueue({ pollSeconds: 0.02 }).consume(
      {
        endpoint: event.endpoint,
        async run() {
          runs++
          throw new JobNotDone('another holds it', false)
        },
        markDead: async () => {},
      },
      inbox,
    )
    await inbox.accept(event, nothing)
    await expect.poll(() => runs, patiently).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await stop()
    expect(runs).toBeLessThan(4)
  })
})
