import { afterAll, afterEach, expect, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const rig = postgresRig()
afterAll(removeFiles)

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close()
  }
})

type Data = { readonly resource: string }

/**
 * Two events of each resource, of which the limit allows one. Resolves to the milliseconds for each event that ran. The second
 * events are older than most first ones, so a search finds them first.
 */
async function timeForEach(store: Store<never>, resources: number): Promise<number> {
  let ran = 0
  const receiver = createReceiver({
    secret: testSecret,
    store,
    endpoint: `with ${resources}`,
    queue: localQueue({ pollSeconds: 3600, onError: () => {} }),
    logger: false,
    limits: { perResource: { perSecond: 0.001 } },
    resource: ({ data }: { data: Data }) => data.resource,
    fallback: () => void ran++,
  } as never)
  closing.push(() => receiver.stop())
  const sender = testSender({ receiver })
  for (let first = 0; first < resources; first += 100) {
    const some = Array.from({ length: Math.min(100, resources - first) }, (_, i) => `account ${first + i}`)
    await Promise.all(
      [...some, ...some].map((resource) => sender.send('transfer.settled', { resource } as never)),
    )
  }
  const startedAt = performance.now()
  await receiver.start()
  await expect.poll(() => ran, { timeout: 60_000, interval: 5 }).toBe(resources)
  const took = (performance.now() - startedAt) / resources
  expect(await store.inbox?.due(1, `with ${resources}`), 'events wait for the limit').toHaveLength(1)
  return took
}

test.each([
  ['SQLite', () => sqliteStore(newFile())],
  ['Postgres', () => rig.store()],
])('with ten times as many limited resources, an event takes about the same time, on %s', async (_, open) => {
  const store = open() as unknown as Store<never>
  const few = await timeForEach(store, 150)
  const many = await timeForEach(store, 1500)
  expect(many / few).toBeLessThan(2.5)
})
