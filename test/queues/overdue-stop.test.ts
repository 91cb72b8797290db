import { afterAll, expect, test, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { gate, postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const rig = postgresRig()
afterAll(removeFiles)

const stores: [string, () => Store<unknown>][] = [
  ['Postgres', () => rig.store({ max: 13 }) as Store<unknown>],
  ['SQLite', () => sqliteStore(newFile()) as Store<unknown>],
]

/** A receiver whose handler is overdue after half a second. `ended` is called when that is reported. */
function overdueReceiver(store: Store<unknown>, leaseSeconds: number, fallback: () => Promise<void>) {
  const ended = vi.fn()
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue: localQueue({ pollSeconds: 0.1, onError() {} }),
    handlerTimeoutSeconds: 0.5,
    leaseSeconds,
    logger: false,
    telemetry: { running: () => ({ end: ended }) },
    fallback,
  })
  return { receiver, ended }
}

test.each(stores)(
  'a handler that timed out before stop() and fails while stop() waits for it counts on %s',
  async (_, open) => {
    const release = gate()
    const { receiver, ended } = overdueReceiver(open(), 60, async () => {
      await release.opened
      throw new Error('no such account')
    })
    await receiver.start()
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), { timeout: 10_000 })
    const stopped = receiver.stop({ drainSeconds: 30 })
    release.open()
    await stopped
    const stored = await receiver.inspect(eventId)
    expect(stored).toMatchObject({ state: 'failed', failures: 1 })
  },
)

test.each(stores)(
  'a handler that timed out before stop() and never ends counts on %s when its claim ends',
  async (_, open) => {
    const { receiver, ended } = overdueReceiver(open(), 3, () => new Promise(() => {}))
    await receiver.start()
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    await vi.waitFor(() => expect(ended).toHaveBeenCalled(), { timeout: 10_000 })
    await receiver.stop({ drainSeconds: 6 })
    const stored = await receiver.inspect(eventId)
    expect(stored).toMatchObject({ state: 'failed', failures: 1 })
  },
  30_000,
)
