import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Job, Worker as QueueWorker } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'

let postgres: PostgresServer
let redis: RedisServer
let pool: pg.Pool
const receivers: Receiver[] = []
beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis({ appendonly: 'yes' })])
  // Fewer connections than deliveries: a delivery that waits for Redis inside a transaction would block the others.
  pool = new pg.Pool({ connectionString: postgres.url, max: 3 })
  await migratePostgres(pool)
})
afterEach(async () => {
  redis.resume()
  for (const receiver of receivers.splice(0)) {
    await receiver.stop()
  }
})
afterAll(async () => {
  await pool?.end()
  await Promise.all([postgres?.close(), redis?.close()])
})

function program(endpoint: string, sweepSeconds: number) {
  const seen: string[] = []
  const errors: unknown[] = []
  const store = postgresStore({ pool })
  const queue = bullmqQueue({
    Queue,
    Worker,
    connection: { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null },
    sweepSeconds,
    onError: (error) => errors.push(error),
  })
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint,
    handlerTimeoutSeconds: 4,
    fallback: ({ id }) => void seen.push(id),
    logger: false,
  })
  receivers.push(receiver)
  return { store, queue, receiver, seen, errors, sender: testSender({ receiver }) }
}

it('accepts events and duplicates while Redis is frozen, and runs them when it answers again', async () => {
  const { receiver, sender, seen } = program('frozen', 3600)
  await receiver.start()
  const first = await sender.send('transfer.settled')
  await eventually(async () => (seen.length === 1 ? true : undefined))
  redis.pause()
  const answers = await Promise.all(Array.from({ length: 20 }, () => sender.send('transfer.settled')))
  expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']))
  const again = await Promise.all(answers.map((answer) => sender.redeliver(answer)))
  expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['duplicate']))
  redis.resume()
  await eventually(async () => (seen.length === 21 ? true : undefined))
  expect([...seen].sort()).toEqual([first, ...answers].map(({ eventId }) => eventId).sort())
})

it('finds each event on the first try: no job runs before its commit', async () => {
  const { store, queue, receiver, sender } = program('ahead', 3600)
  await receiver.start({ consume: false })
  const looks: (string | undefined)[] = []
  const worker: QueueWorker = {
    endpoint: 'ahead',
    run: async ({ key }: Job) => void looks.push((await store.inbox.read(key))?.state),
    markDead: async () => {},
  }
  const stop = await queue.consume(worker, store.inbox as never)
  for (let i = 0; i < 20; i++) {
    await sender.send('transfer.settled')
  }
  await eventually(async () => (looks.length >= 20 ? true : undefined))
  await stop()
  expect(looks).toEqual(Array.from({ length: 20 }, () => 'accepted'))
})

it('runs an event whose process died between its commit and its job', async () => {
  const { store, receiver, sender, seen } = program('between', 0.5)
  // Such a process leaves a committed event without a job in Redis.
  const dying = createReceiver({
    secret: testSecret,
    store,
    queue: { guarantee: '', consume: async () => async () => {} },
    endpoint: 'between',
    fallback: () => {},
    logger: false,
  })
  const { eventId } = await testSender({ receiver: dying }).send('transfer.settled')
  await receiver.start()
  await eventually(async () => (seen.length === 1 ? true : undefined))
  expect(seen).toEqual([eventId])
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
})
