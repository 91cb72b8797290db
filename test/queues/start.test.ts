import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { freePort, type RedisServer, startRedis } from '../servers/redis.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'

let postgres: PostgresServer
let redis: RedisServer
let pool: pg.Pool
beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis({ appendonly: 'yes' })])
  pool = new pg.Pool({ connectionString: postgres.url, max: 110 })
  await migratePostgres(pool)
})
afterAll(async () => {
  removeFiles()
  await pool?.end()
  await Promise.all([postgres?.close(), redis?.close()])
})

const onError = () => {}

function receiverOn(store: Store<never>, queue: QueuePort<never>, over: object = {}): Receiver {
  return createReceiver({
    secret: testSecret,
    store: store as Store<unknown>,
    queue: queue as QueuePort,
    endpoint: `e${crypto.randomUUID()}`,
    fallback: () => {},
    logger: false,
    ...over,
  })
}

const openBoss = () => {
  const boss = new PgBoss({ connectionString: postgres.url, max: 3, schedule: false })
  boss.on('error', onError)
  return boss
}

describe('start', () => {
  it.each([true, false])(
    'says that pg-boss is not started, and succeeds when it is (consume: %s)',
    async (consume) => {
      const boss = openBoss()
      const receiver = receiverOn(postgresStore({ pool }) as never, pgBossQueue({ boss, onError }) as never)
      for (let i = 0; i < 2; i++) {
        await expect(receiver.start({ consume })).rejects.toMatchObject({
          name: 'ConfigurationError',
          code: 'queue_not_started',
          message: expect.stringContaining('fix: await boss.start() before receiver.start()'),
        })
      }
      await boss.start()
      await receiver.start({ consume })
      expect(await testSender({ receiver }).send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
      await receiver.stop()
      await boss.stop({ graceful: false })
    },
  )

  it('says that the database of pg-boss does not answer, with the cause', async () => {
    const boss = openBoss()
    await boss.start()
    const failing = {
      ...pgBossMethods(boss),
      createQueue: () => Promise.reject(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' })),
    }
    const receiver = receiverOn(
      postgresStore({ pool }) as never,
      pgBossQueue({ boss: failing, onError }) as never,
    )
    await expect(receiver.start()).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('pg-boss could not create its queue (no route)'),
      cause: expect.objectContaining({ code: 'EHOSTUNREACH' }),
    })
    await boss.stop({ graceful: false })
  })

  it.each([true, false])(
    'says that Redis is down, whose it is and why, and succeeds later (consume: %s)',
    async (consume) => {
      const port = await freePort()
      const store = sqliteStore(newFile())
      const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
      const receiver = receiverOn(
        store as never,
        bullmqQueue({ Queue, Worker, connection, onError }) as never,
      )
      await expect(receiver.start({ consume })).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/Redis of bullmqQueue .*ECONNREFUSED/),
        cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
      })
      await receiver.stop()
      const up = { ...connection, port: redis.port }
      const other = receiverOn(
        store as never,
        bullmqQueue({ Queue, Worker, connection: up, onError }) as never,
      )
      await other.start({ consume })
      await other.stop()
      await store.close()
    },
  )
})

describe('a hundred concurrent handlers', () => {
  const concurrency = 100
  const places: Record<string, () => Promise<[Store<never>, QueuePort<never>, () => Promise<unknown>]>> = {
    async local() {
      const store = sqliteStore(newFile())
      return [store as never, localQueue({ concurrency }) as never, () => store.close()]
    },
    async bullmq() {
      const store = sqliteStore(newFile())
      const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null }
      const queue = bullmqQueue({ Queue, Worker, connection, concurrency })
      return [store as never, queue as never, () => store.close()]
    },
    async 'pg-boss'() {
      const boss = openBoss()
      await boss.start()
      const queue = pgBossQueue({ boss, concurrency })
      return [postgresStore({ pool }) as never, queue as never, () => boss.stop({ graceful: false })]
    },
  }

  it.each(Object.keys(places))('cause no warning of Node, on %s', async (engine) => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    const [store, queue, close] = await (places[engine] as (typeof places)[string])()
    let running = 0
    let most = 0
    let isFailing = true
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const receiver = receiverOn(store, queue, {
      handlerTimeoutSeconds: 60,
      fallback: async (_: unknown, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => {})
        most = Math.max(most, ++running)
        if (running === concurrency) {
          open()
        }
        await opened
        running--
        if (isFailing) {
          throw new Error('once')
        }
      },
    })
    const sender = testSender({ receiver })
    await receiver.start()
    for (let i = 0; i < concurrency; i++) {
      await sender.send('transfer.settled')
    }
    await eventually(async () => (most === concurrency ? true : undefined), 50)
    isFailing = false
    await eventually(
      async () => ((await receiver.list({ state: 'done' })).length === 100 ? true : undefined),
      50,
    )
    await receiver.stop()
    await close()
    process.off('warning', listen)
    expect(warnings.map(String)).toEqual([])
  })
})

function pgBossMethods(boss: PgBoss) {
  return {
    getQueue: boss.getQueue.bind(boss),
    send: boss.send.bind(boss) as never,
    fetch: boss.fetch.bind(boss) as never,
    complete: boss.complete.bind(boss) as never,
    fail: boss.fail.bind(boss) as never,
    getJobById: boss.getJobById.bind(boss) as never,
    deleteJob: boss.deleteJob.bind(boss) as never,
  }
}
