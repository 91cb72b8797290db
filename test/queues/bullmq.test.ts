import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { type QueueSettings, queueSuite } from '../../src/testing/queue-suite.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle, type Program } from '../setup/bundle.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { startVictim } from './victim.js'

/** `BULLMQ` names the package of another version. */
const { Queue, Worker } = (await import(process.env.BULLMQ ?? 'bullmq')) as typeof import('bullmq')

let redis: RedisServer
let postgres: PostgresServer
let victim: Program
beforeAll(async () => {
  ;[redis, postgres, victim] = await Promise.all([
    startRedis({ appendonly: 'yes' }),
    startPostgres(),
    bundle(join(import.meta.dirname, 'bullmq-victim.ts')),
  ])
  const pool = new pg.Pool({ connectionString: postgres.url })
  await migratePostgres(pool)
  await pool.end()
})
afterAll(async () => {
  victim?.remove()
  removeFiles()
  await Promise.all([redis?.close(), postgres?.close()])
})

function openQueue({ concurrency, retry }: QueueSettings, connection: object) {
  return bullmqQueue({ Queue, Worker, connection, concurrency, retry, takeOverSeconds: 2 })
}

// Most of the time a law waits for the engine. Each law has its own space, so they run concurrently.
describe('BullMQ over Postgres', () => {
  queueSuite(
    test.concurrent,
    (settings) => {
      const pool = new pg.Pool({ connectionString: postgres.url, max: 10 })
      const client = new Redis(redis.port, { maxRetriesPerRequest: null })
      return {
        store: postgresStore({ pool }),
        queue: openQueue(settings, client),
        async close() {
          client.disconnect()
          await pool.end()
        },
      }
    },
    {
      startVictim: (settings) => startVictim(victim.path, `${redis.port} ${postgres.url}`, settings),
      recoverySeconds: 30,
    },
  )
})

describe('BullMQ over SQLite', () => {
  const path = newFile()
  queueSuite(
    test.concurrent,
    (settings) => {
      const store = sqliteStore(path)
      const queue = openQueue(settings, { host: '127.0.0.1', port: redis.port })
      return { store, queue, close: () => store.close() }
    },
    {
      startVictim: (settings) => startVictim(victim.path, `${redis.port} ${path}`, settings),
      recoverySeconds: 30,
    },
  )
})
