import { Queue as BullQueue, Worker as BullWorker } from 'bullmq'
import { Redis } from 'ioredis'
import PgBoss from 'pg-boss'
import { createReceiver, type Queue, type Store } from 'webhook-inbox'
import { bullmqQueue } from 'webhook-inbox/queues/bullmq'
import { localQueue } from 'webhook-inbox/queues/local'
import { pgBossQueue } from 'webhook-inbox/queues/pg-boss'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { bodyOf, headerOf, secret } from '../harness/bodies.js'
import { openIn, scratch } from '../harness/sqlite-files.js'
import { newDatabase } from '../postgres/server.js'
import { concurrency, type Engine } from './engine.js'

let events = 0

/** An engine over a receiver with a handler that does nothing. */
function engineOf(
  name: string,
  store: Store<never>,
  newQueue: () => Queue<never>,
  close: () => Promise<unknown>,
): Engine {
  const open = (ran: () => void) =>
    createReceiver({
      secret,
      store,
      queue: newQueue(),
      fallback: ran,
      logger: process.env.BENCH_LOG ? console : false,
    })
  const accepting = open(() => {})
  let running: ReturnType<typeof open> | undefined

  return {
    name,
    async accept() {
      const body = bodyOf(1000, `evt_${process.pid}_${++events}`)
      const headers = { 'content-type': 'application/json', 'service-signature': headerOf(body) }
      const result = await accepting.receive({ body, headers })
      if (result.outcome !== 'accepted') {
        throw new Error(`${name}: ${result.code}`)
      }
    },
    async start(ran) {
      running = open(ran)
      await running.start()
    },
    async stop() {
      await running?.stop()
      running = undefined
    },
    async left() {
      const { counts } = await accepting.health()
      return counts.accepted + counts.failed
    },
    async close() {
      await accepting.stop()
      await close()
    },
  }
}

export async function sqliteLocal(): Promise<Engine> {
  const database = openIn(scratch(), `queues_${++events}`)
  const store = sqliteStore(database)
  await store.check()
  const queue = localQueue({ concurrency })
  return engineOf(
    'sqliteStore, localQueue',
    store as never,
    () => queue,
    async () => database.close(),
  )
}

export async function postgresLocal(server: PostgresServer): Promise<Engine> {
  const pool = await newDatabase(server, concurrency + 3)
  const queue = localQueue({ concurrency })
  return engineOf(
    'postgresStore, localQueue',
    postgresStore({ pool }) as never,
    () => queue,
    () => pool.end(),
  )
}

export async function postgresPgBoss(server: PostgresServer): Promise<Engine> {
  const pool = await newDatabase(server, concurrency + 3)
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } })
  boss.on('error', () => {})
  await boss.start()
  const queue = () => pgBossQueue({ boss, concurrency }) as never
  return engineOf('postgresStore, pgBossQueue', postgresStore({ pool }) as never, queue, async () => {
    await boss.stop({ graceful: false })
    await pool.end()
  })
}

export async function postgresBullMq(server: PostgresServer, redisPort: number): Promise<Engine> {
  const pool = await newDatabase(server, concurrency + 3)
  const connection = new Redis(redisPort, { maxRetriesPerRequest: null })
  const prefix = `ours${++events}`
  const queue = () =>
    bullmqQueue({ Queue: BullQueue, Worker: BullWorker, connection, prefix, concurrency }) as never
  return engineOf('postgresStore, bullmqQueue', postgresStore({ pool }) as never, queue, async () => {
    connection.disconnect()
    await pool.end()
  })
}
