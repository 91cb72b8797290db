import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Searches } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { newEvent, nothing } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

const searchSeconds = 0.5

/** A search with so many exceptions reads more than twice `concurrency` events. */
const wide = { exceptResources: Array.from({ length: 30 }, (_, i) => `at its limit ${i}`) }

/**
 * Runs a queue whose searches are slow, and accepts an event after the first search. Resolves to the seconds from the end of this
 * search to the start of the next one.
 */
async function secondsBetweenSearches(filter: Searches['filters'][0], isFound: boolean): Promise<number> {
  const { inbox } = sqliteStore(newFile())
  const begun: number[] = []
  const slow = {
    ...inbox,
    async due(...args: Parameters<typeof inbox.due>) {
      begun.push(performance.now())
      await sleep(searchSeconds * 1000)
      return inbox.due(...args)
    },
  }
  let runs = 0
  const worker = {
    endpoint: 'default',
    searches: () => ({ filters: [filter], wakeAfterSeconds: 0 }),
    async run({ key }: { key: string }) {
      runs++
      await inbox.markDead(key, 'the end')
    },
    markDead: nothing,
  }
  const queue = localQueue({ concurrency: 1, pollSeconds: 3600 })
  const accept = () => inbox.accept(newEvent(), nothing)
  if (isFound) {
    await accept()
  }
  onTestFinished(await queue.consume(worker, slow))
  await expect.poll(() => begun.length).toBe(1)
  const before = isFound ? 1 : 0
  await sleep(searchSeconds * 1000 + 100)
  await accept()
  queue.committed?.({} as never)
  await expect.poll(() => runs, { timeout: 15_000, interval: 20 }).toBe(before + 1)
  const [first = 0, second = 0] = begun
  return (second - first) / 1000 - searchSeconds
}

test('after a search that read many events and found none, searches rest four times as long', async () => {
  expect(await secondsBetweenSearches(wide, false)).toBeGreaterThan(3.9 * searchSeconds)
})

test.each([
  ['read few events', {}, false],
  ['found enough', wide, true],
])('after a search that %s, the next one begins immediately', async (_, filter, isFound) => {
  expect(await secondsBetweenSearches(filter, isFound)).toBeLessThan(3.5 * searchSeconds)
})
