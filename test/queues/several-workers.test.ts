import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const rig = postgresRig()
afterAll(removeFiles)

const stores = {
  Postgres: () => () => rig.store(),
  SQLite() {
    const path = newFile()
    return () => sqliteStore(path)
  },
}

/** Starts receivers that share an inbox, each with a store of its own, as in several processes. */
async function startReceivers(makeStore: () => object, handler: (id: string) => Promise<void>) {
  const endpoint = randomUUID()
  const receivers: Receiver[] = []
  onTestFinished(async () => {
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  })
  for (let i = 0; i < 3; i++) {
    const receiver = createReceiver({
      secret: testSecret,
      endpoint,
      store: makeStore() as never,
      queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 1 } }),
      logger: false,
      fallback: (({ id }: { id: string }) => handler(id)) as never,
    })
    await receiver.start()
    receivers.push(receiver)
  }
  return receivers
}

test.each(Object.entries(stores))(
  'each attempt runs in one of several processes, after its pause, on %s',
  async (_, make) => {
    const calls = new Map<string, number[]>()
    const receivers = await startReceivers(make(), async (id) => {
      calls.set(id, [...(calls.get(id) ?? []), performance.now()])
      await sleep(20)
      throw new Error('the ledger is down')
    })
    const senders = receivers.map((receiver) => testSender({ receiver }))
    const ids: string[] = []
    for (let i = 0; i < 30; i++) {
      const { eventId } = await (senders[i % 3] as (typeof senders)[number]).send('transfer.settled')
      ids.push(eventId as string)
    }
    const isDead = async (id: string) => (await receivers[0]?.inspect(id))?.state === 'dead'
    for (const id of ids) {
      await expect.poll(() => isDead(id), { timeout: 30_000, interval: 50 }).toBe(true)
    }
    const pauses = ids.map((id) => {
      const [first = 0, second = 0, ...more] = calls.get(id) ?? []
      return more.length > 0 ? `${more.length + 2} attempts` : second - first >= 500
    })
    expect(new Set(pauses)).toEqual(new Set([true]))
    const attempts = (await receivers[0]?.inspect(ids[0] as string))?.attempts
    expect(attempts?.map(({ attempt }) => attempt)).toEqual([1, 2])
  },
)
