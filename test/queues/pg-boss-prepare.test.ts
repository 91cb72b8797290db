import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createReceiver, type Receiver } from '../../src/index.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { deliveryOf, testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'

/** The store and pg-boss share a pool of one client. Inside a transaction of the store, pg-boss would wait for this client. */

const audit = { reason: 'test', actor: 'operator' }

let server: PostgresServer
let pool: pg.Pool
let boss: PgBoss
beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  pool = new pg.Pool({ connectionString: server.url, max: 1 })
  boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schedule: false })
  boss.on('error', () => {})
  await migratePostgres(pool)
  await boss.start()
})
afterEach(async () => {
  await boss.stop({ graceful: false })
  await pool.end()
})
afterAll(() => server?.close())

let endpoints = 0

/** An inbox in which one receiver has accepted an event. Each receiver from `open` has a queue that it has never opened. */
async function inboxWithEvent() {
  const endpoint = `fresh${++endpoints}`
  const store = postgresStore({ pool })
  const open = (options: object = {}): Receiver =>
    createReceiver({
      secret: testSecret,
      endpoint,
      store,
      queue: pgBossQueue({ boss }),
      fallback: () => {},
      logger: false,
      ...options,
    } as never)
  const first = open()
  const { eventId: id = '' } = await testSender({ receiver: first }).send('transfer.settled')
  return { id, endpoint, store, first, open }
}

it('replays an event before start()', async () => {
  const { id, open } = await inboxWithEvent()
  expect(await open().replay(id, audit)).toBe(1)
})

it('replays an edited event before start()', async () => {
  const { id, open } = await inboxWithEvent()
  const { body = '' } = (await open().inspect(id)) ?? {}
  expect(await open().replayEdited(id, { body }, audit)).not.toBe(id)
})

it('releases a delivery from quarantine before start()', async () => {
  const { first, open } = await inboxWithEvent()
  const text = `{"id":"evt_inexact","type":"any","created_at":"2026-01-01T00:00:00Z","data":{"x":0.12345678901234567890123}}`
  const { outcome } = await first.receive(await deliveryOf(text, { id: 'evt_inexact' }))
  expect(outcome).toBe('quarantined')
  const { released } = await open({ inexactNumbers: 'round' }).verifyAgain({}, audit)
  expect(released).toEqual(['evt_inexact'])
})

it.each(['replay', 'retryNow'] as const)(
  'applies a %s whose queue was deleted after start()',
  async (action) => {
    const { id, endpoint, store, open } = await inboxWithEvent()
    const receiver = open()
    const { key = '' } = (await receiver.inspect(id)) ?? {}
    await (action === 'replay'
      ? store.inbox.markDead(key, 'given up')
      : store.inbox.postpone(key, 3600, 'refused'))
    await receiver.start({ consume: false })
    const queue = `webhook-inbox.${endpoint}`
    await boss.purgeQueue(queue)
    await boss.deleteQueue(queue)
    const plan = await receiver.plan({ action })
    const run = await receiver.run(plan, { ...audit, canary: 0 })
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 1, failed: 0 })
    expect(await receiver.inspect(id)).toMatchObject({ generation: action === 'replay' ? 1 : 0 })
    await receiver.stop()
  },
)
