import { describe, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'
import { localPrograms } from './local-program.js'

const program = localPrograms()

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

  test('finds the events of several runs in one search', async () => {
    const { inbox } = sqliteStore(newFile())
    const events = Array.from({ length: 50 }, () => newEvent())
    for (const event of events) {
      await inbox.accept(event, nothing)
    }
    let searches = 0
    let runs = 0
    const run = async ({ key }: { key: string }) => {
      await inbox.markDead(key, 'the end')
      runs++
    }
    const stop = await localQueue({ pollSeconds: 3600, concurrency: 1 }).consume(
      { endpoint: 'default', run, markDead: async () => {} },
      {
        ...inbox,
        due(...given) {
          searches++
          return inbox.due(...given)
        },
      },
    )
    await expect.poll(() => runs, patiently).toBe(events.length)
    await stop()
    expect(searches).toBeLessThan(0.75 * events.length)
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
      /10 at a time.*attempts for each event: 20/,
    )
    expect(localQueue({ concurrency: 7, retry: { attempts: 3 } }).guarantee).toMatch(
      /7 at a time.*attempts for each event: 3/,
    )
  })
})
