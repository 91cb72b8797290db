import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'

let server: PostgresServer
let pool: pg.Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: server.url, max: 13 })
  await migratePostgres(pool)
  await pool.query('CREATE TABLE accounts (id int PRIMARY KEY); INSERT INTO accounts VALUES (1)')
})
afterAll(async () => {
  await pool?.end()
  await server?.close()
})

const unreadable = () =>
  Object.defineProperty(new Error('hidden'), 'code', {
    get: () => {
      throw new Error('it cannot be read')
    },
  })

const handlers: Record<string, (tx: pg.PoolClient) => Promise<unknown>> = {
  'meets a lock': (tx) => tx.query('SELECT FROM accounts WHERE id = 1 FOR UPDATE NOWAIT'),
  'meets a serialization failure': (tx) => tx.query("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"),
  'meets a deadlock': (tx) => tx.query("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$"),
  'throws an error that cannot be read': () => Promise.reject(unreadable()),
}

test.each(Object.entries(handlers))(
  'a handler that always %s ends as dead, and is logged',
  async (_, handle) => {
    const holder = await pool.connect()
    onTestFinished(() => holder.release(true))
    await holder.query('BEGIN; SELECT FROM accounts WHERE id = 1 FOR UPDATE')
    const lines: string[] = []
    const log = (...parts: unknown[]) => void lines.push(parts.join(' '))
    const receiver = createReceiver({
      secret: testSecret,
      store: postgresStore({ pool }),
      queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.05 } }),
      logger: { info() {}, warn: log, error: log },
      handlers: { 'transfer.settled': (_event, { tx }) => handle(tx) },
    })
    await receiver.start()
    onTestFinished(() => receiver.stop())
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    const stored = () => receiver.inspect(eventId)
    await expect.poll(stored, { timeout: 20_000 }).toMatchObject({ state: 'dead', attempt: 2, failures: 2 })
    expect(lines.join('\n')).toMatch(new RegExp(`event ${eventId}.* is dead`))
  },
)
