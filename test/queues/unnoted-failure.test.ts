import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { bundle } from '../setup/bundle.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { drivers, newFile, removeFiles } from '../stores/sqlite-files.js'
import type { FailingSettings } from './failing-program.js'

const rig = postgresRig()
let redis: RedisServer
let program: Awaited<ReturnType<typeof bundle>>
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  ;[redis, program] = await Promise.all([
    startRedis({ appendonly: 'yes' }),
    bundle(join(import.meta.dirname, 'failing-program.ts')),
  ])
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
})
afterAll(async () => {
  program?.remove()
  await redis?.close()
  await removeFiles()
})

/** With this trigger a failure is never noted by its queue. A receiver does not start with it. */
const onPostgres = {
  add: `
    CREATE OR REPLACE FUNCTION note_nothing() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN RAISE EXCEPTION 'nothing is noted'; END$$;
    CREATE TRIGGER note_nothing BEFORE UPDATE ON webhook_inbox.events
      FOR EACH ROW WHEN (NEW.failures > OLD.failures) EXECUTE FUNCTION note_nothing()`,
  drop: 'DROP TRIGGER IF EXISTS note_nothing ON webhook_inbox.events',
}
const onSqlite = {
  add: `
    CREATE TRIGGER note_nothing BEFORE UPDATE ON webhook_inbox_events WHEN NEW.failures > OLD.failures
    BEGIN SELECT RAISE(ABORT, 'nothing is noted'); END`,
  drop: 'DROP TRIGGER note_nothing',
}

const queues: Record<FailingSettings['engine'], () => Promise<QueuePort<never>>> = {
  local: async () => localQueue(),
  async 'pg-boss'() {
    const boss = new PgBoss({ connectionString: rig.url, max: 3, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    closing.push(() => boss.stop({ graceful: false }))
    return pgBossQueue({ boss })
  },
  async BullMQ() {
    const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null }
    return bullmqQueue({ Queue, Worker, connection, onError: () => {} })
  },
}

/** With the library that the store itself would choose. */
const [, openFile] = (drivers.find(([name]) => name === 'node:sqlite') ??
  drivers[0]) as (typeof drivers)[number]

/** Starts the program. Resolves when it takes events. */
async function start(settings: FailingSettings, ran: () => void): Promise<ChildProcess> {
  const child = fork(program.path, [JSON.stringify(settings)])
  closing.push(async () => child.kill('SIGKILL'))
  child.on('message', (message) => message === 'ran' && ran())
  for (;;) {
    const [message] = await once(child, 'message')
    if (message === 'started') {
      return child
    }
  }
}

const modes = [
  ['local', 'SQLite'],
  ['local', 'Postgres'],
  ['pg-boss', 'Postgres'],
  ['BullMQ', 'Postgres'],
] as const

test.each(modes.flatMap(([engine, store]) => [1, 2].map((attempts) => [engine, store, attempts] as const)))(
  'with %s on %s an event runs %i times at most, also if its process dies before the queue notes the failure',
  async (engine, store, attempts) => {
    const endpoint = `${attempts} ${engine}`
    const isPostgres = store === 'Postgres'
    const events = isPostgres ? rig.url : newFile()
    const file = isPostgres ? undefined : openFile(events)
    const sql = async (text: string) => (file ? file.exec(text) : rig.sql(text))
    const receiver = createReceiver({
      secret: testSecret,
      store: (isPostgres ? rig.store() : sqliteStore(file as SqliteDatabase)) as Store<unknown>,
      queue: (await queues[engine]()) as QueuePort,
      endpoint,
      fallback() {},
      logger: false,
    })
    closing.push(() => receiver.stop())
    await receiver.start({ consume: false })
    let runs = 0
    const settings = { events, engine, endpoint, attempts, redisPort: redis.port }
    const trigger = isPostgres ? onPostgres : onSqlite

    const victim = await start(settings, () => runs++)
    await sql(trigger.add)
    const { eventId = '' } = await testSender({ receiver }).send('transfer.settled')
    const stored = () => receiver.inspect(eventId)
    await expect.poll(stored, { timeout: 20_000 }).toMatchObject({ state: 'failed', attempt: 1, failures: 0 })
    const gone = once(victim, 'exit')
    victim.kill('SIGKILL')
    await gone
    await sql(trigger.drop)
    expect(runs).toBe(1)

    await start(settings, () => runs++)
    await expect.poll(stored, { timeout: 60_000, interval: 100 }).toMatchObject({ state: 'dead' })
    expect(runs).toBe(attempts)
    const event = await stored()
    expect(event).toMatchObject({ attempt: attempts, failures: attempts })
    expect(event?.lastError).toContain('Error: no such account')
    const groups = await receiver.failures()
    expect(groups.map(({ title, count }) => [title, count])).toEqual([
      ['Error: no such account', expect.any(Number)],
    ])
  },
  120_000,
)
