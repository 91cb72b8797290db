import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import PgBoss from 'pg-boss'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'

/** A program of its own: runs as many handlers concurrently as it is told, each with a listener on its signal. */

export interface ManyHandlers {
  readonly queue: 'local' | 'pg-boss' | 'bullmq'
  readonly count: number
  readonly file: string
  readonly postgres: string
  readonly redis: number
}

const { queue: kind, count, file, postgres, redis } = JSON.parse(process.argv[2] as string) as ManyHandlers
const closing: (() => Promise<unknown>)[] = []

async function open(): Promise<{ store: Store<never>; queue: QueuePort<never> }> {
  if (kind === 'pg-boss') {
    const pool = new pg.Pool({ connectionString: postgres, max: count + 3 })
    await migratePostgres(pool)
    const boss = new PgBoss({ connectionString: postgres, max: 3, schedule: false })
    await boss.start()
    closing.push(
      () => boss.stop({ graceful: false }),
      () => pool.end(),
    )
    return { store: postgresStore({ pool }) as never, queue: pgBossQueue({ boss, concurrency: count }) }
  }
  const store = sqliteStore(file) as never
  if (kind === 'local') {
    return { store, queue: localQueue({ concurrency: count }) as never }
  }
  const connection = { host: '127.0.0.1', port: redis, maxRetriesPerRequest: null }
  return { store, queue: bullmqQueue({ Queue, Worker, connection, concurrency: count }) as never }
}

const { store, queue } = await open()
let running = 0
let letAllEnd = () => {}
const all = new Promise<void>((resolve) => {
  letAllEnd = resolve
})
let aborts = 0
const receiver = createReceiver({
  secret: testSecret,
  store: store as Store<unknown>,
  queue: queue as QueuePort,
  logger: false,
  handlerTimeoutSeconds: 60,
  async fallback(_event, { signal }) {
    signal.addEventListener('abort', () => aborts++)
    if (++running === count) {
      letAllEnd()
    }
    await all
  },
})
await receiver.start()
const sender = testSender({ receiver })
for (let i = 0; i < count; i++) {
  await sender.send('transfer.settled')
}
await all
while ((await receiver.health()).counts.done < count) {
  await new Promise((resolve) => setTimeout(resolve, 50))
}
await receiver.stop()
await store.close()
for (const close of closing) {
  await close()
}
console.log(JSON.stringify({ running, aborts }))
