import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { HandlerContext } from '../../src/dispatch/handlers.js'
import { JobNotDone, StoreError } from '../../src/errors.js'
import type { WebhookEvent } from '../../src/event/event.js'
import { type LocalQueueOptions, localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing, open } from '../stores/sqlite-rig.js'

const started: Receiver[] = []
afterEach(async () => {
  for (const receiver of started.splice(0)) {
    await receiver.stop()
  }
})
afterAll(removeFiles)

/** A started receiver on a file, and its sender. */
async function program(
  path: string,
  fallback: (event: WebhookEvent, context: HandlerContext) => unknown,
  queue: LocalQueueOptions = {},
  over: { endpoint?: string; handlerTimeoutSeconds?: number; leaseSeconds?: number } = {},
) {
  const store = sqliteStore(path)
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: localQueue(queue),
    fallback: fallback as never,
    logger: false,
    ...over,
  })
  await receiver.start()
  started.push(receiver)
  const sender = testSender({ receiver })
  return {
    store,
    receiver,
    accept: async () => (await sender.send('transfer.settled')).eventId as string,
    state: async (id: string) => (await receiver.inspect(id))?.state,
  }
}

const patiently = { timeout: 15_000, interval: 20 }

describe('the local queue', () => {
  test('is woken by the commit, and does not wait for the next search', async () => {
    const { accept, state } = await program(newFile(), nothing, { pollSeconds: 3600 })
    for (let i = 0; i < 5; i++) {
      const id = await accept()
      await expect.poll(() => state(id), patiently).toBe('done')
    }
  })

  test('refills free slots without a search', async () => {
    const { accept, state } = await program(newFile(), () => new Promise(setImmediate), {
      pollSeconds: 3600,
      concurrency: 2,
    })
    const ids = await Promise.all(Array.from({ length: 50 }, accept))
    for (const id of ids) {
      await expect.poll(() => state(id), patiently).toBe('done')
    }
  })

  test('never runs an event twice concurrently, even if it is due', async () => {
    const { inbox } = sqliteStore(newFile())
    const event = newEvent()
    await inbox.accept(event, nothing)
    let runs = 0
    const stop = await localQueue({ pollSeconds: 0.02 }).consume(
      {
        endpoint: event.endpoint,
        // Before the claim, and after the lease has expired.
        async run() {
          runs++
          await new Promise((resolve) => setTimeout(resolve, 500))
          expect(await inbox.due(1)).toHaveLength(1)
          await inbox.markDead(event.key, 'the end')
        },
        markDead: async () => {},
      },
      inbox,
    )
    await expect.poll(async () => (await inbox.read(event.key))?.state, patiently).toBe('dead')
    await stop()
    expect(runs).toBe(1)
  })

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

  test('runs only events of its own endpoint', async () => {
    const path = newFile()
    const seen: string[] = []
    const start = (endpoint: string) =>
      program(
        path,
        ({ id }) => seen.push(`${endpoint} ${id}`),
        { pollSeconds: 3600, concurrency: 1 },
        { endpoint },
      )
    const [one, two] = [await start('one'), await start('two')]
    await two.receiver.stop()
    const b = await two.accept()
    const a = await one.accept()
    await expect.poll(() => one.state(a), patiently).toBe('done')
    await two.receiver.start()
    await expect.poll(() => Promise.all([one.state(a), two.state(b)]), patiently).toEqual(['done', 'done'])
    expect(seen.sort()).toEqual([`one ${a}`, `two ${b}`])
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

  test('stops immediately when nothing runs', async () => {
    const { receiver } = await program(newFile(), nothing, { pollSeconds: 3600 })
    const startedAt = performance.now()
    await receiver.stop()
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  test('stops within its time limit, even if a handler runs', async () => {
    let begin: () => void
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let end = () => {}
    const { receiver, accept, state } = await program(newFile(), () => {
      begin()
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    const id = await accept()
    await begun
    const startedAt = performance.now()
    await receiver.stop({ drainSeconds: 0.2 })
    expect(performance.now() - startedAt).toBeLessThan(5000)
    end()
    await expect.poll(() => state(id), patiently).toBe('done')
  })

  test.each<[object, string]>([
    [{ concurency: 5 }, 'unknown_option'],
    [{ retry: { attempt: 5 } }, 'unknown_option'],
    [{ concurrency: 0 }, 'invalid_option'],
    [{ concurrency: 1.5 }, 'invalid_option'],
    [{ retry: { attempts: 0 } }, 'invalid_option'],
    [{ retry: { firstPauseSeconds: 0 } }, 'invalid_option'],
    [{ retry: { longestPauseSeconds: Number.NaN } }, 'invalid_option'],
    [{ pollSeconds: 0 }, 'invalid_option'],
    [{ pollSeconds: 90_000 }, 'invalid_option'],
    [{ onError: 'console' }, 'invalid_option'],
  ])('rejects %j', (options, code) => {
    expect(() => localQueue(options)).toThrow(expect.objectContaining({ code }))
  })

  test('describes itself', () => {
    expect(localQueue({ concurrency: undefined, retry: undefined } as never).guarantee).toMatch(
      /10 at a time.*20 times/,
    )
    expect(localQueue({ concurrency: 7, retry: { attempts: 3 } }).guarantee).toMatch(/7 at a time.*3 times/)
  })
})
