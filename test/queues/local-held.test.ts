import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { JobNotDone, StoreError } from '../../src/errors.js'
import { JobHeld, type Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

const patiently = { timeout: 15_000, interval: 20 }

/** Starts a queue on an inbox with an event of each of these types, in this order. Resolves to the types in the order of their runs. */
async function start(types: readonly string[], run: (type: string, ran: readonly string[]) => void) {
  const { inbox } = sqliteStore(newFile())
  for (const type of types) {
    await inbox.accept(newEvent({ type }), nothing)
  }
  const ran: string[] = []
  const worker: Worker = {
    endpoint: 'default',
    async run({ key, type }) {
      ran.push(type)
      run(type, ran)
      await inbox.markDead(key, 'the end')
    },
    markDead: nothing,
  }
  const stop = await localQueue({ concurrency: 1, pollSeconds: 3600 }).consume(worker, inbox)
  onTestFinished(stop)
  return ran
}

// The searches of this worker leave no event out, as when a pause has just begun in another process.
test.each([
  ['a pause', new JobHeld('paused')],
  ['a limit that the searches do not know', new JobHeld('rate_limited', 3600, true)],
])('an event that is held back by %s is not tried in a loop, and runs when it may', async (_, held) => {
  let isHeld = true
  const ran = await start(['a'], (_type, { length }) => {
    // A queue that tries it in a loop must come to an end, or the test could not fail.
    if (isHeld && length < 100) {
      throw held
    }
  })
  await expect.poll(() => ran.length, patiently).toBeGreaterThan(0)
  await sleep(500)
  expect(ran.length).toBeLessThan(4)
  isHeld = false
  const before = ran.length
  await expect.poll(() => ran.length, patiently).toBe(before + 1)
})

test('events that a limit holds back leave their slot to the others immediately', async () => {
  const ran = await start(['a', 'b', 'c', 'd', 'free'], (type, { length }) => {
    if (type !== 'free' && length < 100) {
      throw new JobHeld('rate_limited', 3600, true)
    }
  })
  await expect.poll(() => ran, patiently).toContain('free')
  expect(ran.slice(0, 5)).toEqual(['a', 'b', 'c', 'd', 'free'])
})

test('events that another process runs leave their slot to the others immediately', async () => {
  const ran = await start(['a', 'b', 'c', 'd', 'free'], (type, { length }) => {
    if (type !== 'free' && length < 100) {
      throw new JobNotDone('it runs elsewhere', false, { code: 'in_progress' })
    }
  })
  await expect.poll(() => ran, patiently).toContain('free')
  expect(ran.slice(0, 5)).toEqual(['a', 'b', 'c', 'd', 'free'])
})

test('an event at a limit that the searches know takes its turn as soon as a search finds it', async () => {
  const ran = await start(['a', 'b', 'c', 'd', 'e', 'f'], (type, { length }) => {
    if (type === 'a' && length === 1) {
      throw new JobHeld('rate_limited', 0.01)
    }
  })
  await expect.poll(() => ran.length, patiently).toBe(7)
  expect(ran.lastIndexOf('a')).toBeLessThan(ran.indexOf('f'))
})

test('while nothing can be tried, each slot tries one event a second', async () => {
  const types = Array.from({ length: 20 }, (_, i) => `type ${i}`)
  const ran = await start(types, () => {
    throw new StoreError('the database is down')
  })
  await expect.poll(() => ran.length, patiently).toBeGreaterThan(0)
  await sleep(500)
  expect(ran.length).toBeLessThan(3)
})
