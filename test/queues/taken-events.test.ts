import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { createReceiver } from '../../src/index.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { accepted as handedOver } from '../receiver/worker-rig.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'

/** The events of an engine with a list of its own, on a store that reads an event and claims it at the same time. */

let server: PostgresServer
let redis: RedisServer
let pool: pg.Pool
/** The texts of each round trip to Postgres. */
const sent: string[] = []

class Client extends pg.Client {
  override query(...given: unknown[]): never {
    const [query] = given as [string | { text?: string; steps?: readonly { text: string }[] }]
    const texts = typeof query === 'string' ? [query] : (query.steps?.map(({ text }) => text) ?? [query.text])
    sent.push(texts.join(';\n'))
    return Reflect.apply(pg.Client.prototype.query, this, given) as never
  }
}

beforeAll(async () => {
  ;[server, redis] = await Promise.all([startPostgres(), startRedis({ appendonly: 'yes' })])
  pool = new pg.Pool({ connectionString: server.url, max: 13, Client: Client as never })
  await migratePostgres(pool)
})
afterAll(async () => {
  await pool?.end()
  await Promise.all([server?.close(), redis?.close()])
})

const schemas = { 'transfer.settled': z.object({ transferId: z.string().max(10) }) }

async function accepted(transferId = 'tr_1') {
  const died: string[] = []
  const errors: unknown[] = []
  const ran: string[] = []
  const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null }
  const receiver = createReceiver({
    secret: testSecret,
    endpoint: `of ${crypto.randomUUID()}`,
    store: postgresStore({ pool }),
    queue: bullmqQueue({ Queue, Worker, connection, onError: (error) => void errors.push(error) }),
    schemas,
    fallback: ({ id }) => {
      sent.push('the handler')
      ran.push(id)
    },
    telemetry: { died: ({ eventId }) => void died.push(eventId) },
    logger: false,
  })
  onTestFinished(() => receiver.stop())
  const { eventId = '' } = await testSender({ receiver }).send('transfer.settled', { transferId })
  const { key = '' } = (await receiver.inspect(eventId)) ?? {}
  return { receiver, eventId, key, died, errors, ran, stored: () => receiver.inspect(eventId) }
}

const soon = { timeout: 20_000 }

test('an event is read in the round trip of its claim', async () => {
  const { receiver, stored, ran, eventId } = await accepted()
  await receiver.start()
  await expect.poll(stored, soon).toMatchObject({ state: 'done', attempt: 1 })
  expect(ran).toEqual([eventId])
  const before = sent.slice(0, sent.indexOf('the handler'))
  // The process may also report or search before the handler.
  const claims = before.filter((texts) => texts.includes("SET state = 'done'"))
  expect(claims.at(-1)).toMatch(/^BEGIN;.*SET state = 'done'.*encode\(body/s)
  sent.length = 0
})

const changed = JSON.stringify({ type: 'transfer.settled', data: {}, createdAt: '2026-01-02T03:04:05Z' })

test.each([
  [
    'was changed in the database',
    { ...JSON.parse(changed), id: 'evt_other' },
    /does not match its content hash/,
  ],
  ['cannot be parsed', 'not an object', /invalid_envelope/],
])('an event whose body %s is dead with a reason, and counted', async (_, body, reason) => {
  const { receiver, stored, key, eventId, ...seen } = await accepted()
  const bytes = Buffer.from(JSON.stringify(body))
  await pool.query('UPDATE webhook_inbox.events SET body = $1 WHERE key = $2', [bytes, key])
  await receiver.start()
  await expect.poll(stored, soon).toMatchObject({ state: 'dead', lastError: expect.stringMatching(reason) })
  expect(seen).toMatchObject({ died: [eventId], errors: [], ran: [] })
})

test('an event that its schema rejects is dead with a reason, and counted', async () => {
  const { receiver, stored, eventId, ...seen } = await accepted('far too long')
  await receiver.start()
  const dead = { state: 'dead', lastError: expect.stringMatching(/^invalid_data: data.transferId/) }
  await expect.poll(stored, soon).toMatchObject(dead)
  expect(seen).toMatchObject({ died: [eventId], errors: [], ran: [] })
})

test('an event that is paused is not claimed, and runs when it is resumed', async () => {
  const { receiver, stored, ran } = await accepted()
  await receiver.pause({}, { reason: 'an outage', actor: 'ops' })
  sent.length = 0
  await receiver.start()
  await expect.poll(() => sent.some((text) => text.includes('pauses')), soon).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(sent.filter((text) => text.includes('encode(body'))).toEqual([])
  await receiver.resume({}, { reason: 'it is over', actor: 'ops' })
  await expect.poll(stored, soon).toMatchObject({ state: 'done' })
  expect(ran).toHaveLength(1)
})

test('a claim ends immediately if the queue does not admit the event', async () => {
  const { worker, job, inspect } = await handedOver({ store: postgresStore({ pool }) })
  const early = new Error('it waits for its next attempt')
  const refuse = () => Promise.reject(early)
  await expect(worker.run(job, undefined, refuse)).rejects.toBe(early)
  await worker.run(job)
  expect(await inspect()).toMatchObject({ state: 'done' })
})
