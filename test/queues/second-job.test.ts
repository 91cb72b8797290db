import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'

let postgres: PostgresServer
let redis: RedisServer
let pool: pg.Pool
const closing: (() => Promise<unknown>)[] = []

/** With this trigger, a queue cannot note a failure while a client holds the lock. A receiver does not start with it. */
const addTrigger = `
  CREATE OR REPLACE FUNCTION wait_to_note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END';
  CREATE TRIGGER wait_to_note BEFORE UPDATE ON webhook_inbox.events
    FOR EACH ROW WHEN (NEW.failures > OLD.failures) EXECUTE FUNCTION wait_to_note()`
const dropTrigger = 'DROP TRIGGER IF EXISTS wait_to_note ON webhook_inbox.events'

beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis({ appendonly: 'yes' })])
  pool = new pg.Pool({ connectionString: postgres.url, max: 10 })
  await migratePostgres(pool)
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
  await pool.query(dropTrigger)
})
afterAll(async () => {
  await pool?.end()
  await Promise.all([postgres?.close(), redis?.close()])
})

interface Settings {
  readonly retry: { readonly attempts: number; readonly firstPauseSeconds: number }
  readonly onError: (error: unknown) => void
}

const queues = {
  async 'pg-boss'(settings: Settings) {
    const boss = new PgBoss({ connectionString: postgres.url, max: 3, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    closing.push(() => boss.stop({ graceful: false }))
    return pgBossQueue({ boss, ...settings })
  },
  async BullMQ(settings: Settings) {
    const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null }
    return bullmqQueue({ Queue, Worker, connection, ...settings })
  },
} satisfies Record<string, (settings: Settings) => Promise<QueuePort<pg.PoolClient>>>

// A crash can leave two jobs for one event.
test.each(Object.entries(queues))(
  'a second job of %s does not run an event between its failure and the note of its pause',
  async (name, open) => {
    const times: number[] = []
    const errors: unknown[] = []
    const endpoint = `second job of ${name}`
    const queue: QueuePort<pg.PoolClient> = await open({
      retry: { attempts: 2, firstPauseSeconds: 4 },
      onError: (error) => errors.push(error),
    })
    const receiver = createReceiver({
      secret: testSecret,
      store: postgresStore({ pool }),
      queue,
      endpoint,
      fallback() {
        times.push(performance.now() / 1000)
        throw new Error('no such account')
      },
      logger: false,
    })
    closing.push(() => receiver.stop())
    const client = await pool.connect()
    await client.query('SELECT pg_advisory_lock(7)')
    try {
      await receiver.start()
      await client.query(addTrigger)
      const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
      await eventually(async () => errors[0])
      const { key, type, ...stored } = (await receiver.inspect(eventId)) as StoredEvent
      expect(stored).toMatchObject({ state: 'failed', attempt: 1, failures: 0 })
      const job = { key, type, endpoint, generation: 0 }
      await queue.enqueue?.(job, client)
      queue.committed?.(job)
      await pause(1)
      expect(times).toHaveLength(1)
      await client.query('SELECT pg_advisory_unlock(7)')
      const isDead = async () => (await receiver.inspect(eventId))?.state === 'dead' || undefined
      await eventually(isDead, 30)
    } finally {
      // Ends the session, and so its lock.
      client.release(true)
    }
    expect(times).toHaveLength(2)
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThan(1.9)
  },
)

// A worker that dies before it notes a failure leaves the job of the next attempt, and the attempt is repeated from another job.
test.each(Object.entries(queues))(
  'a second job of %s for the next attempt does not shorten the pause that is noted',
  async (name, open) => {
    const times: number[] = []
    const endpoint = `next job of ${name}`
    const queue: QueuePort<pg.PoolClient> = await open({
      retry: { attempts: 2, firstPauseSeconds: 6 },
      onError: () => {},
    })
    const receiver = createReceiver({
      secret: testSecret,
      store: postgresStore({ pool }),
      queue,
      endpoint,
      fallback() {
        times.push(performance.now() / 1000)
        throw new Error('no such account')
      },
      logger: false,
    })
    closing.push(() => receiver.stop())
    await receiver.start()
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    const isNoted = async () => {
      const stored = await receiver.inspect(eventId)
      return stored?.failures === 1 ? stored : undefined
    }
    const { key, type } = await eventually(isNoted)
    const job = { key, type, endpoint, generation: 0, failures: 1 }
    const client = await pool.connect()
    await queue.enqueue?.(job, client)
    client.release()
    queue.committed?.(job)
    await eventually(async () => (await receiver.inspect(eventId))?.state === 'dead' || undefined, 30)
    expect(times).toHaveLength(2)
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThan(2.9)
  },
)
