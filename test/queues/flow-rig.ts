import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { WebhookEvent } from '../../src/event/event.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { migratePostgres } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { openOrdered, type Place } from './order-place.js'

export const audit = { reason: 'the ledger is down', actor: 'suite' }
export const patiently = { timeout: 40_000, interval: 20 }
export const engines = ['local', 'pg-boss', 'bullmq'] as const

export const endpointOf = (name: string) => `${name}-${crypto.randomUUID()}`

type Options = Partial<Parameters<typeof createReceiver>[0]>

/** Servers for the tests of one file, and receivers on each queue. */
export function flowRig() {
  let postgres: PostgresServer
  let other: PostgresServer
  let redis: RedisServer
  const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-flow-'))
  let files = 0
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    ;[postgres, other, redis] = await Promise.all([
      startPostgres(),
      startPostgres(),
      startRedis({ appendonly: 'yes' }),
    ])
    for (const { url } of [postgres, other]) {
      const pool = new pg.Pool({ connectionString: url })
      await migratePostgres(pool)
      await pool.end()
    }
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close()
    }
  })
  afterAll(async () => {
    await Promise.all([postgres, other, redis].map((server) => server?.close()))
    rmSync(directory, { recursive: true, force: true })
  })

  const newFile = (name: string) => join(directory, `${name}-${++files}`)
  const places: Readonly<Record<Place['engine'], () => Place>> = {
    local: () => ({ engine: 'local', events: newFile('inbox.sqlite') }),
    'pg-boss': () => ({ engine: 'pg-boss', events: postgres.url }),
    bullmq: () => ({ engine: 'bullmq', events: other.url, redisPort: redis.port }),
  }

  /** A receiver at a place, started, with what it ran. */
  async function program(place: Place, endpoint: string, options: Options = {}, consume = true) {
    const { store, queue, close } = await openOrdered(place)
    const ran: string[] = []
    const receiver: Receiver = createReceiver({
      secret: testSecret,
      store,
      queue,
      endpoint,
      logger: false,
      fallback: ({ type }: WebhookEvent) => void ran.push(type),
      ...options,
    } as never)
    await receiver.start({ consume })
    closing.push(async () => {
      await receiver.stop()
      await close()
    })
    const sender = testSender({ receiver })
    const send = async (type: string) => (await sender.send(type as 'transfer.settled')).eventId as string
    return { receiver, ran, send, inbox: store.inbox }
  }

  return { places, newFile, program, closing }
}
