import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Queue, Worker } from 'bullmq'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

const rig = postgresRig()
let redis: RedisServer
let program: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  ;[redis, program] = await Promise.all([
    startRedis({ appendonly: 'yes' }),
    bundle(join(import.meta.dirname, 'poison-program.ts')),
  ])
})
afterAll(async () => {
  program?.remove()
  await redis?.close()
  await removeFiles()
})

/** Starts the program again and again, as a supervisor does, until the event is dead. Resolves to how many processes it ended. */
async function runUntilDead(receiver: Receiver, eventId: string, args: readonly string[]): Promise<number> {
  const isDead = async () => (await receiver.inspect(eventId))?.state === 'dead'
  for (let deaths = 0; ; deaths++) {
    const child: ChildProcess = fork(program.path, [...args])
    const gone = once(child, 'exit').then(() => 'gone')
    for (;;) {
      const end = await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 100))])
      if (end === 'gone') {
        break
      }
      if (await isDead()) {
        child.kill('SIGKILL')
        await gone
        return deaths
      }
    }
    expect(deaths).toBeLessThan(20)
  }
}

test.each([
  ['localQueue on SQLite', () => ({ events: newFile(), port: undefined })],
  ['BullMQ on Postgres', () => ({ events: rig.url, port: String(redis.port) })],
])(
  'with %s an event that ends its process is dead when its attempts are exhausted',
  async (_, place) => {
    const { events, port } = place()
    const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null }
    const receiver = createReceiver({
      secret: testSecret,
      store: (port ? rig.store() : sqliteStore(events)) as Store<unknown>,
      queue: port ? bullmqQueue({ Queue, Worker, connection }) : localQueue(),
      fallback() {},
      logger: false,
    })
    await receiver.start({ consume: false })
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    expect(await runUntilDead(receiver, eventId, port ? [events, port] : [events])).toBe(5)
    expect((await receiver.inspect(eventId))?.lastError).toBe(
      'its process ended, or lost its claim, in 5 attempts',
    )
    expect((await receiver.explain(eventId)).sentence).toContain('is dead: its process ended')
    // A replay gives it as many attempts again.
    await receiver.replay(eventId, { reason: 'corrected', actor: 'ops' })
    await receiver.start()
    await expect
      .poll(async () => (await receiver.inspect(eventId))?.state, { timeout: 30_000, interval: 100 })
      .toBe('done')
    await receiver.stop()
  },
  180_000,
)
