import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { createReceiver } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { type PgBossQueueOptions, pgBossQueue } from '../../src/queues/pg-boss.js'
import type { EventRef } from '../../src/store/event-ref.js'
import { migratePostgres, postgresStore, type Row } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { bundle, type Program } from '../setup/bundle.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { failingWorker } from './failing-worker.js'
import { startVictim } from './victim.js'

let server: PostgresServer
let victimProgram: Program
let pool: pg.Pool
let boss: PgBoss
const errors: unknown[] = []
const closing: (() => Promise<unknown>)[] = []
const onError = (error: unknown) => void errors.push(error)

beforeAll(async () => {
  ;[server, victimProgram] = await Promise.all([
    startPostgres(),
    bundle(join(import.meta.dirname, 'pg-boss-victim.ts')),
  ])
})
beforeEach(async () => {
  errors.length = 0
  pool = new pg.Pool({ connectionString: server.url, max: 10 })
  await migratePostgres(pool)
  boss = new PgBoss({ connectionString: server.url, max: 3, schedule: false, maintenanceIntervalSeconds: 1 })
  boss.on('error', () => {})
  await boss.start()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) {
    await close()
  }
  await boss.stop({ graceful: false })
  await pool.end()
})
afterAll(async () => {
  removeFiles()
  victimProgram?.remove()
  await server?.close()
})

const jobs = (queue: string) =>
  boss.getDb().executeSql(
    `SELECT *, extract(epoch FROM expire_in) AS expire, keep_until - now() > interval '9 years' AS is_kept
     FROM pgboss.job WHERE name = $1 ORDER BY created_on`,
    [queue],
  )

function program(
  endpoint: string,
  options: Partial<PgBossQueueOptions> = {},
  handler: () => Promise<void> = async () => {},
) {
  const queue = pgBossQueue({ boss, pollSeconds: 0.1, onError, ...options })
  const receiver = createReceiver({
    secret: testSecret,
    store: postgresStore({ pool }),
    queue,
    endpoint,
    fallback: handler,
    leaseSeconds: 2,
    logger: false,
  })
  closing.push(() => receiver.stop())
  return { queue, receiver, sender: testSender({ receiver }) }
}

const states = (receiver: ReturnType<typeof createReceiver>) =>
  receiver.list().then((events) => events.map(({ state }) => state))

it('overrides the settings of pg-boss for a job', async () => {
  const { sender, receiver } = program('overrides')
  await receiver.start({ consume: false })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  const { rows } = await jobs('webhook-inbox.overrides')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    retry_limit: 2 ** 31 - 1,
    retry_backoff: false,
    retry_delay: 2,
    is_kept: true,
  })
  expect(Number(rows[0].expire)).toBe(60)
  expect(rows[0].dead_letter).toBeNull()
  expect(rows[0].data).toMatchObject({
    type: 'transfer.settled',
    endpoint: 'overrides',
    generation: 0,
    failures: 0,
  })
})

it('stop waits for the search of the sweep that is under way', async () => {
  const { queue } = program('stopped')
  const { inbox } = sqliteStore(newFile())
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow = {
    ...inbox,
    async due() {
      await opened
      return []
    },
  }
  const worker = { endpoint: 'stopped', run: async () => {}, markDead: async () => {} }
  const stop = await queue.consume(worker, slow as never)
  let isStopped = false
  const stopping = stop().then(() => {
    isStopped = true
  })
  // Without the sweep, stop() would wait for the search of pg-boss only.
  await jobs('webhook-inbox.stopped')
  await pause(0.3)
  expect(isStopped).toBe(false)
  open()
  await stopping
})

it('gives each endpoint its own queue, with a name that pg-boss allows', async () => {
  const endpoints = ['a', 'a.2e', 'a.', 'zahlung/€ 1', 'Ü'.repeat(255)]
  for (const endpoint of endpoints) {
    const { sender, receiver } = program(endpoint)
    await receiver.start({ consume: false })
    expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  }
  const names = (await boss.getQueues())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('webhook-inbox.'))
  for (const name of names) {
    expect(name).toMatch(/^webhook-inbox\.[\w.-]{1,190}$/)
  }
  const { rows } = await boss
    .getDb()
    .executeSql(
      `SELECT data->>'endpoint' AS endpoint, name FROM pgboss.job WHERE data->>'endpoint' = ANY ($1)`,
      [endpoints],
    )
  expect(new Set(rows.map(({ name }) => name)).size).toBe(endpoints.length)
})

it('keeps jobs that jsonb cannot hold', async () => {
  const { queue } = program('odd')
  const event = newEvent({}, { key: 'zero \0 and half \ud800', endpoint: 'odd' })
  const seen: Job[] = []
  const store = postgresStore({ pool })
  await store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  const stop = await queue.consume(
    { endpoint: 'odd', run: async (job) => void seen.push(job), markDead: async () => {} },
    store.inbox as never,
  )
  await eventually(async () => seen[0])
  await stop()
  expect(seen[0]?.key).toBe(event.key)
})

it('counts no attempt when the handler was not tried, and marks the event dead with the last error', async () => {
  const { queue } = program('untried', { retry: { attempts: 2, firstPauseSeconds: 0.1 } })
  const store = postgresStore({ pool })
  const event = newEvent({}, { endpoint: 'untried' })
  const failures = [
    ...[1, 2, 3].map(() => new JobNotDone('another holds it', false)),
    new JobNotDone('first'),
    new JobNotDone('last'),
  ]
  await store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  const { worker, thrown, buried } = failingWorker('untried', store.inbox, failures)
  const stop = await queue.consume(worker, store.inbox as never)
  await eventually(async () => buried[0], 30)
  await stop()
  expect(thrown).toHaveLength(5)
  expect(buried).toEqual([failures[4]])
})

it('listens to the errors of pg-boss, which would otherwise end the process', async () => {
  const deaf = new PgBoss({ connectionString: server.url })
  pgBossQueue({ boss: deaf, onError })
  const error = new Error('the connection is gone')
  deaf.emit('error', error)
  expect(errors).toEqual([error])
})

it('finds its own jobs immediately, a replay included, without a search in between', async () => {
  const { sender, receiver } = program('own', { pollSeconds: 3600, sweepSeconds: 3600 })
  await receiver.start()
  const { eventId } = await sender.send('transfer.settled')
  const done = () => eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
  await done()
  await receiver.replay(eventId as string, { reason: 'a', actor: 'b' })
  await done()
  expect(await receiver.inspect(eventId as string)).toMatchObject({ generation: 1 })
})

it('adds no second job for an event that waits for a free slot', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { sender, receiver } = program('waiting', { concurrency: 1, sweepSeconds: 0.2 }, () => opened)
  await receiver.start()
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  const jobCount = async () => (await jobs('webhook-inbox.waiting')).rows.length
  await eventually(async () => ((await jobCount()) > 3 ? true : undefined))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  // Each of the two waiting events has its first job and one of the sweep.
  expect(await jobCount()).toBeLessThanOrEqual(5)
  open()
  const threeDone = 'done,done,done'
  await eventually(async () => ((await states(receiver)).join() === threeDone ? true : undefined))
})

it('reports the result of a job until pg-boss has stored it', async () => {
  let faults = 2
  const complete = boss.complete.bind(boss) as (name: string, id: string, data: object) => Promise<unknown>
  const flaky = Object.create(boss, {
    complete: {
      value: (name: string, id: string, data: object) =>
        faults-- > 0 ? Promise.reject(new Error('the connection is gone')) : complete(name, id, data),
    },
  }) as PgBoss
  const { sender, receiver } = program('told', { boss: flaky, sweepSeconds: 3600 })
  await receiver.start()
  await sender.send('transfer.settled')
  const state = async () => (await jobs('webhook-inbox.told')).rows[0]?.state
  await eventually(async () => ((await state()) === 'completed' ? true : undefined))
  expect(errors.map(String)).toEqual(Array(2).fill('Error: the connection is gone'))
})

it('accepts nothing when its queue was deleted, and creates it again', async () => {
  const { sender, receiver } = program('deleted')
  await receiver.start({ consume: false })
  await boss.deleteQueue('webhook-inbox.deleted')
  expect(await sender.send('transfer.settled')).toMatchObject({ status: 503 })
  expect(await receiver.list()).toEqual([])
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
})

it('runs events whose jobs are gone', async () => {
  const { sender, receiver } = program('swept', { sweepSeconds: 0.5 })
  await receiver.start({ consume: false })
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  await boss.purgeQueue('webhook-inbox.swept')
  await receiver.start()
  await eventually(async () => ((await states(receiver)).join() === 'done,done,done' ? true : undefined), 20)
})

it('runs an event again soon after each of several deaths, without waiting for the maintenance of pg-boss', async () => {
  const { sender, receiver } = program('deaths')
  await receiver.start({ consume: false })
  const { eventId } = await sender.send('transfer.settled')
  const settings = {
    space: 'deaths',
    concurrency: 1,
    retry: { attempts: 2, firstPauseSeconds: 1, longestPauseSeconds: 1 },
    hasSlowMaintenance: true,
  }
  const seconds: number[] = []
  for (let death = 1; death <= 4; death++) {
    const startedAt = performance.now()
    const victim = await startVictim(victimProgram.path, server.url, settings)
    seconds.push((performance.now() - startedAt) / 1000)
    await victim.kill()
  }
  // The sweep searches every second here. The maintenance of pg-boss returns a job after 60 to 180 s.
  expect(Math.max(...seconds), `took over after ${seconds} s`).toBeLessThan(20)
  expect(await receiver.inspect(eventId as string)).toMatchObject({ state: 'accepted', failures: 0 })
}, 240_000)

it('continues after the database was down, and does not end the process', async () => {
  const { sender, receiver } = program('outage', { takeOverSeconds: 2, sweepSeconds: 1 })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
  await server.stop('immediate')
  expect(await sender.send('transfer.settled')).toMatchObject({ status: 503, code: 'store_unavailable' })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await server.start()
  const { eventId } = await eventually(async () => {
    const answer = await sender.send('transfer.settled')
    return answer.outcome === 'accepted' ? answer : undefined
  })
  await eventually(
    async () => ((await receiver.inspect(eventId as string))?.state === 'done' ? true : undefined),
    30,
  )
  expect(errors.length).toBeGreaterThan(0)
})

it('states the recovery time of the sweep in describe(), as in the documents', () => {
  expect(pgBossQueue({ boss }).guarantee).toContain('runs again within about 30 s')
  expect(pgBossQueue({ boss, sweepSeconds: 5 }).guarantee).toContain('runs again within about 10 s')
  const guide = readFileSync(join(import.meta.dirname, '../../docs/durable-inbox.md'), 'utf8')
  expect(guide).toMatch(/pgBossQueue.*run again within about half a minute/)
})

it('joins the transactions of Kysely', async () => {
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  const run = (trx: Transaction<object>, text: string, values: readonly unknown[]) =>
    trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  const store = postgresStore<Transaction<object>>({
    transaction: (work) => db.transaction().execute(work),
    query: async (trx, text, values) => (await run(trx, text, values)).rows,
  })
  const queue = pgBossQueue<Transaction<object>>({ boss, pollSeconds: 0.1, onError, executeSql: run })
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint: 'kysely',
    fallback() {},
    logger: false,
  })
  closing.push(() => receiver.stop())
  const event = newEvent({}, { endpoint: 'kysely' })
  await expect(
    store.inbox.accept(event, async (trx) => {
      await queue.enqueue?.(jobOf(event), trx)
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect((await jobs('webhook-inbox.kysely')).rows).toEqual([])
  await receiver.start()
  await testSender({ receiver }).send('transfer.settled')
  await eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
})

it('rejects a transaction that it cannot join, and unknown options', async () => {
  const queue = pgBossQueue({ boss, onError })
  const store = sqliteStore(newFile())
  const event = newEvent()
  await expect(
    store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx as never)),
  ).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining('executeSql') })
  await store.close()
  const bad = (options: object, code = 'invalid_option') =>
    expect(() => pgBossQueue({ boss, ...options } as never), JSON.stringify(options)).toThrow(
      expect.objectContaining({ code }),
    )
  bad({ boss: undefined })
  bad({ name: 'a.b' })
  bad({ concurrency: 0 })
  bad({ takeOverSeconds: 86_400 })
  bad({ pollSeconds: Number.NaN })
  bad({ retry: { attempts: 1.5 } })
  bad({ retries: {} }, 'unknown_option')
  bad({ retry: { attempt: 1 } }, 'unknown_option')
})

const jobOf = ({ key, type, endpoint }: EventRef): Job => ({ key, type, endpoint, generation: 0 })
